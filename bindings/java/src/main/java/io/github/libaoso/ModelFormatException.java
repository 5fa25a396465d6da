package io.github.libaoso;

import java.io.IOException;

/** A file that is no model of aoso, or that is truncated, damaged or too new. */
public class ModelFormatException extends IOException {
    private static final long serialVersionUID = 1;

    public ModelFormatException(String message) {
        super(message);
    }
}
