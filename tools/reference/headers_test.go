package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A comment explains every declaration, member and constant of the C and C++
// headers: one at the declaration, or one above it without a blank line between.
// In C++, the C name in a wrapper explains it too.
func TestHeaders(t *testing.T) {
	paths, err := filepath.Glob("../../capi/include/aoso*.h*")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../../capi/include/aoso/*.h*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Concat(paths, more) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, bare := range unexplained(string(text)) {
			t.Errorf("%s: no comment explains %s", filepath.Base(path), bare)
		}
	}
}

func TestUnexplained(t *testing.T) {
	const header = `
/* Explained. */
int f(int a);
int g(void);

int bare1(int a,
          int b);
#define BARE2 7
#define EXPLAINED 8 /* eight */
enum { A = 1, /* one */
       BARE3 = 2 };
typedef struct s {
    uint32_t struct_size;
    int32_t a; /* the
                  first */
    int32_t bare4;

    /* Both. */
    double b;
    void (*c)(int, int);
} s;
namespace detail {
int hidden();
}
class c {
public:
    // One.
    int one() const { return 1; }
    int two() { return aoso_two(); }

    int bare5() {
        int hidden = 1;
        return hidden;
    }
private:
    int hidden_;
};
`
	want := []string{"int bare1(int a, int b)", "#define BARE2 7", "BARE3 = 2", "typedef struct s", "int32_t bare4", "class c", "int bare5()"}
	if got := unexplained(header); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

const (
	remark = "\x01" // stands where a comment begins
	rest   = "\x02" // and where it goes on in further lines
)

var (
	comments = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	literals = regexp.MustCompile(`"(\\.|[^"\\\n])*"|'(\\.|[^'\\])'`)
	guarded  = regexp.MustCompile(`(?s)#ifdef __cplusplus\n.*?#endif\n`)
	opens    = regexp.MustCompile(`^(?:typedef )?(struct|enum|class|union|namespace)\b[^(=]*$`)
	template = regexp.MustCompile(`^template ?<.*?>+ (\w)`)
	wrapper  = regexp.MustCompile(`\baosop?_\w+|\bdetail::\w+`)
	plain    = regexp.MustCompile(`^(?:struct Arrow\w+|using object::object|.*= (?:default|delete)|friend .*|static_assert.*)$|\b(?:struct_size|reserved)$`)
)

// unexplained returns the declarations of a header that have no comment.
func unexplained(text string) []string {
	text = guarded.ReplaceAllString(text, "")
	text = comments.ReplaceAllStringFunc(text, func(comment string) string {
		if strings.Contains(comment, "-----") {
			return "" // the title of a section
		}
		return remark + strings.Repeat("\n"+rest, strings.Count(comment, "\n"))
	})
	r := reader{text: literals.ReplaceAllString(text, `""`)}
	r.scope("", false)
	return r.bare
}

// reader goes through the text of a header, with a mark for each comment.
type reader struct {
	text string
	at   int
	bare []string
}

// scope reads declarations up to the brace that closes the scope.
func (r *reader) scope(kind string, explained bool) {
	public, above := kind != "class", explained
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '}':
			r.at++
			return
		case c == '\n':
			line, _, _ := strings.Cut(r.text[r.at+1:], "\n")
			switch strings.TrimSpace(line) {
			case "":
				above = false
			case remark:
				above = true
			}
			r.at++
		case strings.ContainsRune(" ;"+remark+rest, rune(c)):
			r.at++
		case c == '#':
			line, _, _ := strings.Cut(r.text[r.at:], "\n")
			if words := strings.Fields(line); words[0] == "#define" && len(words) > 2 && words[1] != "AOSO_API" && words[1] != "AOSOP_API" {
				r.note(line, above)
			}
			r.at += len(line)
		default:
			if access := regexp.MustCompile(`^(public|private):`).FindString(r.text[r.at:]); access != "" {
				public = access == "public:"
				r.at += len(access)
				continue
			}
			mark := len(r.bare)
			r.declaration(kind, above)
			if !public {
				r.bare = r.bare[:mark]
			}
		}
	}
}

// declaration reads a declaration, a type or a namespace with what is inside, or a function with its body.
func (r *reader) declaration(kind string, above bool) {
	start, end := r.at, ";{"
	if kind == "enum" {
		end = ",}"
	}
	for depth := 0; r.at < len(r.text) && (depth > 0 || !strings.ContainsRune(end, rune(r.text[r.at]))); r.at++ {
		depth += strings.Count("(", r.text[r.at:r.at+1]) - strings.Count(")", r.text[r.at:r.at+1])
	}
	head := r.text[start:r.at]
	if r.at == len(r.text) || r.text[r.at] != '{' {
		if kind != "enum" || r.text[r.at] == ',' {
			r.at++
		}
		line, _, _ := strings.Cut(r.text[r.at:], "\n")
		r.note(head+line, above)
		return
	}
	r.at++
	body := r.at
	name := template.ReplaceAllString(spaced(head), "$1")
	of := opens.FindStringSubmatch(name)
	if of == nil || name == "namespace detail" {
		for depth := 1; depth > 0; r.at++ {
			depth += strings.Count("{", r.text[r.at:r.at+1]) - strings.Count("}", r.text[r.at:r.at+1])
		}
		if of == nil {
			line, _, _ := strings.Cut(r.text[r.at:], "\n")
			r.note(head+"{"+r.text[body:r.at]+line, above)
		}
		return
	}
	line, _, _ := strings.Cut(r.text[r.at:], "\n")
	oneLine := of[1] == "enum" && strings.Contains(line, "}")
	if of[1] != "namespace" && of[1] != "enum" {
		r.note(head+line, above)
	}
	r.scope(of[1], oneLine && above)
	line, _, _ = strings.Cut(r.text[r.at:], "\n")
	r.at += strings.IndexAny(line+";", ";")
}

// note adds a declaration to the list unless it is explained.
func (r *reader) note(text string, above bool) {
	head, _, _ := strings.Cut(text, "{")
	head, _, _ = strings.Cut(head, ";")
	head = strings.Trim(spaced(head), ", }")
	if !above && !strings.Contains(text, remark) && !plain.MatchString(head) && !r.wraps(text) {
		r.bare = append(r.bare, head)
	}
}

// wraps reports whether the text is the body of a function in C++ that calls C, or another name for a C type.
func (r *reader) wraps(text string) bool {
	_, body, found := strings.Cut(text, "{")
	if !found {
		_, body, found = strings.Cut(text, "=")
	}
	return found && strings.Contains(r.text, "namespace ") && wrapper.MatchString(body)
}

// spaced returns a text in one line without marks.
func spaced(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer(remark, " ", rest, " ").Replace(text)), " ")
}
