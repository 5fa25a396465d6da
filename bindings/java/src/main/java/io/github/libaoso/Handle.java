package io.github.libaoso;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The address of a model in C. It counts its users, so that closing a model during a prediction frees it after that. It does not refer to the
 * {@link AosoModel}, which a cleaner waits for.
 */
final class Handle implements Runnable {
    private final long address;
    private final AtomicLong users = new AtomicLong(1); // calls, and one until it is closed
    private final AtomicBoolean closed = new AtomicBoolean();

    Handle(long address) {
        this.address = address;
    }

    /** Returns the address, which is valid until {@link #release}. */
    long acquire() {
        for (long n = users.get(); n > 0 && !closed.get(); n = users.get()) {
            if (users.compareAndSet(n, n + 1)) {
                return address;
            }
        }
        throw new IllegalStateException("the model is closed; allowed: calls before close()");
    }

    void release() {
        if (users.decrementAndGet() == 0) {
            Library.free(address);
        }
    }

    /** Closes the model. */
    @Override
    public void run() {
        if (closed.compareAndSet(false, true)) {
            release();
        }
    }
}
