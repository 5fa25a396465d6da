"""Words of a text and the words before them: which word comes next?

The text is the docstrings of packages that bench/requirements.txt pins, every paragraph once. A word is a run of letters. The
classes are the words that come most often; rows whose next word is another one are left out. The test rows are those of every
tenth file.

The features of a row are the vectors of the words before it. The vector of a word comes from the words around it in the
training text, hashed to buckets: the logarithm of how often each bucket is among them, reduced by a singular value
decomposition and standardized.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import svds

PACKAGES = ("numpy", "scipy", "pandas", "sklearn", "matplotlib")
BEFORE = 4  # words before a row
DIMENSIONS = 12  # of the vector of a word
AROUND = 2  # words on each side that make the vector of a word
BUCKETS = 2048
TEST_ROWS = 10_000
START = "<start>"  # in place of words before a paragraph
Paragraphs = list[list[str]]


def rows(classes: int, most: int) -> dict[str, np.ndarray]:
    """Arrays by the names of their files: features, classes, and the words before each row, from the nearest to the farthest."""
    train, test = text()
    counts = Counter(word for paragraph in train for word in paragraph)
    numbers = {word: k for k, word in enumerate([word for word, _ in counts.most_common()] + [START])}
    unknown = len(numbers)
    numbers |= {word: unknown for paragraph in test for word in paragraph if word not in numbers}
    vectors = standard(embed(train, numbers), [numbers[word] for paragraph in train for word in paragraph])
    arrays = {}
    for name, paragraphs, limit in (("train", train, most), ("test", test, TEST_ROWS)):
        words, labels = contexts(paragraphs, numbers, classes)
        kept = np.sort(np.random.default_rng(0).permutation(len(labels))[:limit])
        arrays |= {f"{name}.words": words[kept], f"{name}.y": labels[kept]}
        arrays[f"{name}.x"] = vectors[words[kept]].reshape(len(kept), -1)
    return arrays


def text() -> tuple[Paragraphs, Paragraphs]:
    """The paragraphs of the training files and of the test files."""
    parts: tuple[Paragraphs, Paragraphs] = ([], [])
    seen = set()
    for number, path in enumerate(files()):
        for paragraph in docstrings(path):
            words = re.findall("[a-z]+", paragraph.lower())
            if words and tuple(words) not in seen:
                seen.add(tuple(words))
                parts[number % 10 == 9].append(words)
    return parts


def files() -> Iterator[Path]:
    for package in PACKAGES:
        found = importlib.util.find_spec(package)
        assert found and found.origin
        yield from (path for path in sorted(Path(found.origin).parent.rglob("*.py")) if "tests" not in path.parts)


def docstrings(path: Path) -> Iterator[str]:
    """The paragraphs of the docstrings in a file that are not examples."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            paragraphs = re.split(r"\n\s*\n", ast.get_docstring(node) or "")
            yield from (paragraph for paragraph in paragraphs if ">>>" not in paragraph)


def contexts(paragraphs: Paragraphs, numbers: dict[str, int], classes: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the words before each word that is a class, and the class. The most frequent words have the lowest
    numbers, which are their classes."""
    words, labels = [], []
    for paragraph in paragraphs:
        known = [numbers[START]] * BEFORE + [numbers[word] for word in paragraph]
        for i in range(BEFORE, len(known)):
            if known[i] < classes:
                words.append(known[i - BEFORE : i][::-1])
                labels.append(known[i])
    return np.array(words, np.int32), np.array(labels, np.int32)


def embed(paragraphs: Paragraphs, numbers: dict[str, int]) -> np.ndarray:
    """A vector for each word. That of a word that training has not is zero."""
    bucket = {number: zlib.crc32(word.encode()) % BUCKETS for word, number in numbers.items()}
    words, buckets = [], []
    for paragraph in paragraphs:
        known = [numbers[word] for word in paragraph]
        for distance in range(1, AROUND + 1):
            for side, (a, b) in enumerate(((known[distance:], known[:-distance]), (known[:-distance], known[distance:]))):
                words += a
                buckets += [side * BUCKETS + bucket[word] for word in b]
    shape = (max(numbers.values()) + 1, 2 * BUCKETS)
    table = coo_array((np.ones(len(words), np.float32), (words, buckets)), shape=shape).tocsr()
    table.data = np.log1p(table.data)
    left, values, _ = svds(table, DIMENSIONS, random_state=0)
    return left * values


def standard(vectors: np.ndarray, words: list[int]) -> np.ndarray:
    """The vectors with mean 0 and standard deviation 1 over the words of the text. Trees do not need it."""
    of_text = vectors[words]
    return np.ascontiguousarray((vectors - of_text.mean(axis=0)) / of_text.std(axis=0), np.float32)
