package aoso

import (
	"cmp"
	"math"

	"github.com/libaoso/aoso/internal/bin"
	"github.com/libaoso/aoso/internal/boost"
	"github.com/libaoso/aoso/internal/data"
	"github.com/libaoso/aoso/internal/mem"
	"github.com/libaoso/aoso/internal/memory"
	"github.com/libaoso/aoso/internal/modelio"
	"github.com/libaoso/aoso/internal/par"
	"github.com/libaoso/aoso/internal/settings"
)

// Shape is the size of a training: what memory depends on.
type Shape struct {
	Rows, Features, Classes int  // of the training set: their numbers
	ValidRows               int  // rows of the validation set
	MaxBin                  int  // 0: 255
	Categorical             int  // categorical features of more than 4 categories
	Rated                   int  // of these features: those of more than 100 categories, or of more than MaxBin
	Categories              int  // of the features of Rated, in all
	Dense                   bool // no feature is sparse, and at most one has 16 bins or fewer; or datasets are DenseOnly
	Mapped                  bool // the dataset is in a file
}

// MemoryEstimate is an upper bound of the memory, in bytes, that building a
// dataset and training on it adds to that of the features and labels given,
// which are not copied. The parts are those of the moment that needs most.
type MemoryEstimate struct {
	Matrix     int64 // bin codes by column, of training and validation rows
	Sparse     int64 // the same again, row by row if every feature is sparse, or two to a column if every one is small
	Residuals  int64 // residuals by row and class, and scores where training keeps them
	Rows       int64 // labels, weights, row lists, gradients, validation scores, sums by block
	Histograms int64 // gradients summed by bin: those of each thread, and those that nodes keep
	Quantizing int64 // what building the datasets takes beyond the other parts
	Trees      int64 // of the model, if it has all trees with all their leaves
	Runtime    int64 // what Go's garbage collector and its caches need on top
	Total      int64 // the sum of the parts
	Files      int64 // of a dataset in a file: pages of it and of files without names, which the system may take back; not in Total
}

// Estimate bounds the peak memory of building a dataset of a shape and
// training on it, before anything is allocated. With N rows, V validation
// rows, D features, K classes in S lanes (K rounded up to 8 or a multiple of
// 16), m pairs, B bins, J leaves and T trees the parts are
//
//	Matrix      (N + V)·D, and N·D more with several pairs and B above 32, or
//	            with subsample and B above 64
//	Sparse      (D + 8·⌈D/256⌉)·N at most, or twice that likewise; 0 if Dense
//	Residuals   (28 + 8.5·min(K, leaf_classes · trees))·N with leaf sparse, and 640·N
//	            at most of class totals, else 4·(S + 1)·N, and 8·K·N of scores with abc, logitboost or a
//	            learning_rate · max_delta_step above 1, twice that with an exhaustive abc
//	Rows        (24 + 8·m)·N, N more with trim, 8·S·max(m, 2) a thousand rows
//	            for sums, 48 a leaf and 8192 rows, (8·K + 24)·V
//	Histograms  for each thread two of a group of columns, at most 512·m kiB each, and with
//	            several threads 8·m·(B+1)·D a thread, or less, B being that bound at most;
//	            kept ones, of that size, with one pair a node or fixed pairs: at most 6 MiB or
//	            an eighth of the matrix, and one more a thread; all threefold above 65,536 rows
//	Trees       some 4·J·K·T, or 12·J·m·T if leaves have pairs, three times over
//	            while arrays grow
//	Runtime     some MiB, Trees again, and for each feature twice 256, 28·B, or 19·B with
//	            at most B rows, and 80 + 10·m and 80 a thread
//
// and Total is their sum; B is N where that is less. Building a dataset takes 44 a thread and 96 for each row
// that bins are fitted to, and 24·B·D at most to find bins; Quantizing is what
// there is of that beyond the parts of training.
//
// Linear scores of D features, at most 512, take 20·D·K in Trees, and in Runtime 16·D·K, 8·D²
// for each thread and two more, 8·N, and up to 64 MiB of a sample, or 3·K kiB with more than
// 32,768 classes.
//
// A feature of Categorical has a column more, and one of Rated another min(K, 12), or one
// with two classes. D counts them. While the dataset is built, they take 4·N each, and 12·N more. A
// category takes 80, and 4 for each of these columns, which Runtime has.
//
// A dataset that is Mapped counts in Files, and so do copies of its codes that are
// large. Building it takes 9·N and at most 24·D for each row that bins are fitted to.
//
// With subsample the n rows drawn are copied: Matrix and
// Sparse are those of N + n rows, the entries of sparse features counted twice,
// Residuals 4·(S + 1)·n more, and of Rows 21·N + (24 + 8·m)·n is in place of the
// first two terms. While rows are held out, the training set is there once more
// in two parts, or with five folds five times; the terms of training are then those
// of the parts, with 8 a row more for row ids. Of an ensemble of M members, half are in
// training at once, or one on all rows and twice on M − 1 of M parts, with 24·K·N of
// scores; Trees count M times more. Two cases are left out: row ids that
// are given, 8·N more, or 16·N if they do not rise; and a training of small steps
// that a row's own class leaves at odds of e⁻⁶⁹, which keeps scores from then on,
// 8·K·N more.
func Estimate(s Shape, p Params) (MemoryEstimate, error) {
	for _, v := range []struct {
		name               string
		value, least, most int
	}{
		{"rows", s.Rows, 1, maxRows},
		{"features", s.Features, 1, math.MaxInt32},
		{"classes", s.Classes, 1, modelio.MaxClasses},
		{"valid_rows", s.ValidRows, 0, maxRows},
		{"max_bin", s.MaxBin, 0, bin.MaxValueBins},
		{"categorical", s.Categorical, 0, s.Features},
		{"rated", s.Rated, 0, s.Features},
		{"categories", s.Categories, 0, maxRows},
	} {
		if v.value < v.least || v.value > v.most {
			return MemoryEstimate{}, badArgument(v.name, v.value, "%d to %d", v.least, v.most)
		}
	}
	s.MaxBin = cmp.Or(s.MaxBin, bin.MaxValueBins)
	options, err := p.settings().Resolve(data.Shape(s))
	if err != nil {
		return MemoryEstimate{}, public(err)
	}
	most := memory.Memory{}
	for _, setting := range options {
		most = most.Greater(memory.Estimate(data.Shape(s), boost.Params(setting), p.settings().Plan(data.Shape(s), false).Folds, defaultSampleRows))
	}
	return MemoryEstimate(most), nil
}

// affordTraining returns an error if the limits of the process leave less memory than a
// training on a dataset may need beside it, to its first tree at least.
func affordTraining(train *Dataset, options []settings.Params, folds int, o TrainOptions) error {
	s := data.Shape{Rows: train.Rows(), Features: len(train.set.Mapper.Features), Classes: len(train.set.Classes), Dense: train.set.Matrix.Dense()}
	bins := 0
	for i := range train.set.Mapper.Features {
		f := &train.set.Mapper.Features[i]
		bins, s.MaxBin = bins+f.Codes(), max(s.MaxBin, f.Codes()-1)
	}
	if s.Rows == 0 {
		return nil // a rank may have none
	}
	for _, d := range o.validSets() {
		s.ValidRows += d.Rows()
	}
	const stack = 8 << 20 // of a thread
	need := 0.0
	for _, p := range options {
		if p.Method == MethodAOSO {
			p.NEstimators = min(p.NEstimators, 1) // training may end after any
		}
		threads := float64(par.NewTeam(p.NThread).Workers())
		need = max(need, float64(memory.Training(s, boost.Params(p), folds).Total)+stack*threads)
	}
	features := memory.Runtime(data.Shape{Rows: s.Rows, Classes: s.Classes}, boost.Params(options[0])).Total + int64(memory.FeaturesBytes(s.Features, bins))
	return mem.Afford("training", 0, need+float64(features))
}
