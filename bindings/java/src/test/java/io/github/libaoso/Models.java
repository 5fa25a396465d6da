package io.github.libaoso;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The models in target/expected, with random rows and what the library in C predicts for them. */
final class Models {
    private static final Path FOLDER = Path.of("target", "expected");

    private Models() {}

    static List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.map(f -> f.getFileName().toString()).filter(f -> f.endsWith(".aoso")).map(f -> f.replace(".aoso", "")).sorted()
                .collect(Collectors.toList());
        }
    }

    /** A model with categories, which the repository has. */
    static Path small() {
        return file("model", "aoso");
    }

    static Path file(String name, String kind) {
        return FOLDER.resolve(name + "." + kind);
    }

    private static ByteBuffer read(String name, String kind) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(file(name, kind))).order(ByteOrder.LITTLE_ENDIAN);
    }

    static double[] doubles(String name, String kind) throws IOException {
        ByteBuffer bytes = read(name, kind);
        double[] numbers = new double[bytes.remaining() / Double.BYTES];
        bytes.asDoubleBuffer().get(numbers);
        return numbers;
    }

    static int[] ints(String name, String kind) throws IOException {
        ByteBuffer bytes = read(name, kind);
        int[] numbers = new int[bytes.remaining() / Integer.BYTES];
        bytes.asIntBuffer().get(numbers);
        return numbers;
    }

    /** Divides numbers into rows of a width. */
    static double[][] rows(double[] numbers, int width) {
        double[][] rows = new double[numbers.length / width][width];
        for (int i = 0; i < rows.length; i++) {
            System.arraycopy(numbers, i * width, rows[i], 0, width);
        }
        return rows;
    }
}
