package io.github.libaoso;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

/** The library in C, which trusts its arguments. */
final class Library {
    /** The system property that names a library to load in place of the one in the jar. */
    private static final String PROPERTY = "io.github.libaoso.library";

    static {
        load();
    }

    private Library() {}

    static native long decode(byte[] file) throws ModelFormatException;

    static native void free(long model);

    static native long classes(long model);

    static native long features(long model);

    static native long trees(long model);

    static native long memory(long model);

    /** The number of categories of a feature; -1 if it is numeric. */
    static native long categories(long model, long feature);

    static native byte[] className(long model, long k);

    static native byte[] featureName(long model, long feature);

    static native byte[] categoryName(long model, long feature, long i);

    static native void predict(long model, double[] rows, int count, int[] out);

    static native void scores(long model, double[] rows, int count, double[] out, boolean raw);

    private static void load() {
        String own = System.getProperty(PROPERTY);
        if (own != null) {
            System.load(Path.of(own).toAbsolutePath().toString());
            return;
        }
        String platform = platform(), resource = "native/" + platform + "/libaoso_jni.so";
        try (InputStream in = Library.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new UnsatisfiedLinkError("the jar has no library for " + platform
                    + "; allowed: linux-x86_64, linux-aarch64 with glibc, or a library of your own that the system property "
                    + PROPERTY + " names");
            }
            Path file = Files.createTempFile("libaoso_jni", ".so");
            try {
                Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
                System.load(file.toString());
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw (UnsatisfiedLinkError) new UnsatisfiedLinkError(
                "cannot unpack the library into " + System.getProperty("java.io.tmpdir") + "; java.io.tmpdir names another folder: " + e)
                .initCause(e);
        }
    }

    private static String platform() {
        String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        switch (arch) {
            case "amd64":
                arch = "x86_64";
                break;
            case "arm64":
                arch = "aarch64";
                break;
            default:
        }
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT).replace(' ', '_');
        return os + "-" + arch;
    }
}
