package kerneltest

import "github.com/libaoso/aoso/kernel"

func productsShapes() (shapes []shape) {
	for _, features := range []int{0, 4, 8, 12, 52} {
		for _, rows := range []int{0, 1, 17, 255, kernel.ProductRows} {
			shapes = append(shapes, shape{rows: rows, terms: features})
		}
	}
	return shapes
}

func products(d dice, s shape) call {
	places, sums := make([]int16, s.terms*kernel.ProductRows), make([]int64, s.terms*s.terms)
	kind := d.IntN(3)
	for i := range places {
		switch {
		case i%kernel.ProductRows >= s.rows:
		case kind == 0: // the greatest sums
			places[i] = int16(pick(d, kernel.MostPlace, -kernel.MostPlace))
		case kind == 1:
			places[i] = kernel.MostPlace
		default:
			places[i] = int16(d.IntN(2*kernel.MostPlace+1) - kernel.MostPlace)
		}
	}
	for i := range sums {
		sums[i] = d.Int64() >> d.IntN(64)
	}
	return func(f *kernel.Funcs, m *memory) {
		f.Products(&kernel.ProductsJob{Places: input(m, "Places", places), Features: s.terms, Sums: inout(m, "Sums", sums)})
	}
}

func productsRefusals() []refusal {
	type products = kernel.ProductsJob
	return refusals("ProductsJob", func(f *kernel.Funcs, j *products) { f.Products(j) },
		func() products {
			return products{Places: make([]int16, 4*kernel.ProductRows), Features: 4, Sums: make([]int64, 16)}
		},
		fault[products]{"Features is -4, must be a multiple of 4", func(j *products) { j.Features = -4 }},
		fault[products]{"Features is 6, must be a multiple of 4", func(j *products) { j.Features = 6 }},
		fault[products]{"len(Places) is 5, must be 1024 or more", func(j *products) { j.Places = j.Places[:5] }},
		fault[products]{"len(Sums) is 15, must be 16 or more", func(j *products) { j.Sums = j.Sums[:15] }},
	)
}
