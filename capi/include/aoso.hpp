// aoso.hpp: aoso.h for C++17 and later, header only.
//
// A first program:
//
//     aoso::dataset train(aoso::row_major(values, cols), classes);
//     aoso::model model = aoso::train(train, "n_estimators=500 nthread=4");
//     std::vector<int32_t> predicted = model.predict(aoso::row_major(others, cols));
//
// Build with  c++ -std=c++17 program.cpp $(pkg-config --cflags --libs aoso).
//
// The rules of aoso.h for threads, processes and values apply here too. In
// addition:
//
//   Objects     Objects own their handles. They can be moved, not copied. After
//               a move, the old object can be destroyed or assigned to; any
//               other use throws.
//   Reference   A function without a comment does what the C function does that
//               it calls.
//   Errors      Errors are thrown as aoso::error.
//   Callbacks   Callbacks are std::functions. If one throws, the training, the
//               prediction or the export ends, and the exception comes out of
//               the call that invoked the callback.
//   Inputs      Inputs are anything with data() and size(): vectors, arrays,
//               std::span. They are read during the call only. A matrix or
//               labels object must not outlive the data that it describes.
#ifndef AOSO_HPP
#define AOSO_HPP

#include "aoso/base.hpp"    // errors, ownership of handles, span, the library
#include "aoso/input.hpp"   // matrices and labels
#include "aoso/collective.hpp" // training on several machines
#include "aoso/tcp.hpp"     // ranks connected by TCP, without an engine
#include "aoso/dataset.hpp" // datasets, at once or in chunks of rows
#include "aoso/params.hpp"  // the parameters of training, and the memory that it needs
#include "aoso/train.hpp"   // training, in one call or step by step
#include "aoso/tune.hpp"    // the search for parameters
#include "aoso/model.hpp"   // models, prediction, explanation, single rows

#endif
