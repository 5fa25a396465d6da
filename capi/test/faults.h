// Functions that only a library built with the tag "faults" has; see
// capi/faults.go.
#ifndef FAULTS_H
#define FAULTS_H

#include <stdint.h>

enum { IN_REGISTRY, IN_TRAINING, IN_CALLBACK, IN_PREDICTOR, IN_COLUMN };

// Makes the n-th passage of a place panic.
void aoso_test_panic(int32_t place, int64_t n);

// Makes the n-th check for available memory fail; 0: none.
void aoso_test_deny(int64_t n);

// The number of such checks since aoso_test_deny.
int64_t aoso_test_questions(void);

// The number of handles in use.
int64_t aoso_test_handles(void);

#endif
