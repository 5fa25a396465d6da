// What a library built with the tag "faults" has more: capi/faults.go.
#ifndef FAULTS_H
#define FAULTS_H

#include <stdint.h>

enum { IN_REGISTRY, IN_TRAINING, IN_CALLBACK, IN_PREDICTOR, IN_COLUMN };

// The n-th passage of a place panics.
void aoso_test_panic(int32_t place, int64_t n);

// The n-th question for memory is denied; 0: none. How many there were since.
void aoso_test_deny(int64_t n);
int64_t aoso_test_questions(void);

// Handles in use.
int64_t aoso_test_handles(void);

#endif
