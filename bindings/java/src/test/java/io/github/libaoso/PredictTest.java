package io.github.libaoso;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Predictions have the bits of the library in C, for every model, singly and in batches. */
class PredictTest {
    static List<String> names() throws IOException {
        return Models.names();
    }

    private static void assertBits(double[] expected, double[] actual) {
        assertArrayEquals(Arrays.stream(expected).mapToLong(Double::doubleToRawLongBits).toArray(),
            Arrays.stream(actual).mapToLong(Double::doubleToRawLongBits).toArray());
    }

    @ParameterizedTest
    @MethodSource("names")
    void sameBits(String name) throws IOException {
        try (AosoModel model = AosoModel.load(Models.file(name, "aoso"))) {
            double[] flat = Models.doubles(name, "rows"), flatProba = Models.doubles(name, "proba");
            double[][] rows = Models.rows(flat, model.numFeatures()), proba = Models.rows(flatProba, model.numClasses());
            double[][] raw = Models.rows(Models.doubles(name, "raw"), model.numClasses());
            int[] classes = Models.ints(name, "class");
            assertEquals(model.numClasses() > 1000 ? 10 : 200, rows.length);
            double[] out = new double[model.numClasses()];
            for (int i = 0; i < rows.length; i++) {
                assertBits(proba[i], model.predictProba(rows[i]));
                assertSame(out, model.predictProba(rows[i], out));
                assertBits(proba[i], out);
                assertBits(raw[i], model.predictRaw(rows[i]));
                assertEquals(classes[i], model.predictIndex(rows[i]));
                assertEquals(model.classNames().get(classes[i]), model.predict(rows[i]));
            }
            double[][] batch = model.predictProba(rows);
            String[] names = model.predict(rows);
            for (int i = 0; i < rows.length; i++) {
                assertBits(proba[i], batch[i]);
                assertEquals(model.classNames().get(classes[i]), names[i]);
            }
            assertArrayEquals(classes, model.predictIndex(rows));
            assertBits(flatProba, model.predictProba(flat, rows.length, new double[flatProba.length]));
            assertArrayEquals(classes, model.predictIndex(flat, rows.length, new int[rows.length]));
        }
    }

    /** So many rows that Java and C divide them into chunks. */
    @Test
    void chunks() throws IOException {
        try (AosoModel model = AosoModel.load(Models.small())) {
            double[][] rows = Models.rows(Models.doubles("model", "rows"), model.numFeatures());
            double[][] many = new double[300_001][];
            for (int i = 0; i < many.length; i++) {
                many[i] = rows[i % rows.length];
            }
            double[][] proba = model.predictProba(many), few = model.predictProba(rows);
            int[] classes = model.predictIndex(many), fewClasses = model.predictIndex(rows);
            for (int i = 0; i < many.length; i++) {
                assertTrue(Arrays.equals(few[i % rows.length], proba[i]) && fewClasses[i % rows.length] == classes[i], "row " + i);
            }
            assertEquals(0, model.predictProba(new double[0][]).length);
            assertEquals(0, model.predictIndex(new double[0], 0, new int[0]).length);
        }
    }

    @Test
    void categoriesByName() throws IOException {
        try (InputStream in = Files.newInputStream(Models.small()); AosoModel model = AosoModel.load(in)) {
            assertEquals(List.of("size", "color", "shape"), model.featureNames());
            assertEquals(List.of("0", "1", "2", "3"), model.classNames());
            assertFalse(model.isCategorical(0));
            assertTrue(model.isCategorical(model.feature("color")));
            assertTrue(model.categories(0).isEmpty());
            List<String> colors = model.categories(1);
            assertEquals(303, colors.size());
            for (int i = 0; i < colors.size(); i++) {
                assertEquals(i, model.category(1, colors.get(i)));
            }
            assertEquals(AosoModel.UNSEEN, model.categoryOr(1, "a color that is new", AosoModel.UNSEEN));
            assertEquals(2, model.categoryOr(1, colors.get(2), AosoModel.UNSEEN));
            double[] unseen = {1, AosoModel.UNSEEN, 3}, past = {1, colors.size(), 3};
            assertBits(model.predictProba(past), model.predictProba(unseen));
            assertEquals("AosoModel(4 classes, 3 features, 6 trees)", model.toString());
            assertTrue(model.memory() > 10_000);
        }
    }

    @Test
    void reuseAllocatesNothing() throws IOException {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (AosoModel model = AosoModel.load(Models.small())) {
            double[] row = {1, 2, 3}, out = new double[model.numClasses()];
            for (int i = 0; i < 20_000; i++) {
                model.predictProba(row, out);
            }
            long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
            for (int i = 0; i < 20_000; i++) {
                model.predictProba(row, out);
            }
            long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
            assertTrue(allocated < 20_000, allocated + " bytes for 20,000 calls");
        }
    }
}
