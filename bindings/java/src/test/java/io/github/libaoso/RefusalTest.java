package io.github.libaoso;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** What is not allowed is an exception that names the argument, the value and what is allowed. */
class RefusalTest {
    private static final double[] ROW = {1, 2, 3};

    private AosoModel model;

    @BeforeEach
    void load() throws IOException {
        model = AosoModel.load(Models.small());
    }

    @AfterEach
    void close() {
        model.close();
    }

    private static void refuses(Class<? extends Exception> type, String text, Executable call) {
        Exception e = assertThrows(type, call);
        assertTrue(e.getMessage().contains(text), e.getMessage());
    }

    @Test
    void rows() {
        refuses(IllegalArgumentException.class, "row has length 2; allowed: 3, the features of the model", () -> model.predict(new double[2]));
        refuses(IllegalArgumentException.class, "row has length 0; allowed: 3", () -> model.predictRaw(new double[0]));
        refuses(NullPointerException.class, "row is null; allowed: an array of length 3", () -> model.predictProba((double[]) null));
        refuses(NullPointerException.class, "rows is null", () -> model.predictProba((double[][]) null));
        refuses(NullPointerException.class, "rows[1] is null; allowed: an array of length 3", () -> model.predict(new double[][] {ROW, null}));
        refuses(IllegalArgumentException.class, "rows[1] has length 4; allowed: 3", () -> model.predictIndex(new double[][] {ROW, new double[4]}));
        refuses(IllegalArgumentException.class, "count is -1; allowed: 0 or more", () -> model.predictProba(ROW, -1, new double[4]));
        refuses(IllegalArgumentException.class, "rows has length 3; allowed: 6", () -> model.predictProba(ROW, 2, new double[8]));
        refuses(IllegalArgumentException.class, "rows has length 3; allowed: 6442450941", () -> model.predictProba(ROW, Integer.MAX_VALUE, new double[8]));
    }

    @Test
    void results() {
        refuses(IllegalArgumentException.class, "out has length 3; allowed: 4, the classes of the model", () -> model.predictProba(ROW, new double[3]));
        refuses(NullPointerException.class, "out is null; allowed: an array of length 4", () -> model.predictRaw(ROW, null));
        refuses(IllegalArgumentException.class, "out has length 5; allowed: 4", () -> model.predictProba(ROW, 1, new double[5]));
        refuses(IllegalArgumentException.class, "out has length 2; allowed: 1, the rows", () -> model.predictIndex(ROW, 1, new int[2]));
        refuses(NullPointerException.class, "out is null; allowed: an array of length 1", () -> model.predictIndex(ROW, 1, null));
    }

    @Test
    void names() {
        refuses(IllegalArgumentException.class, "name is \"weight\"; allowed: the features size, color, shape", () -> model.feature("weight"));
        refuses(NullPointerException.class, "name is null", () -> model.feature(null));
        refuses(IllegalArgumentException.class, "name is \"no color\"; allowed: the categories of feature \"color\", ", () -> model.category(1, "no color"));
        refuses(NullPointerException.class, "name is null", () -> model.category(1, null));
        refuses(IllegalArgumentException.class, "feature is 0, \"size\", which is numeric; allowed: categorical features", () -> model.category(0, "small"));
        refuses(IllegalArgumentException.class, "feature is 3; allowed: 0 to 2", () -> model.categoryOr(3, "small", 0));
        refuses(IllegalArgumentException.class, "feature is -1; allowed: 0 to 2", () -> model.isCategorical(-1));
    }

    @Test
    void afterClose() {
        model.close();
        model.close();
        refuses(IllegalStateException.class, "the model is closed", () -> model.predict(ROW));
        refuses(IllegalStateException.class, "the model is closed", () -> model.predictProba(new double[][] {ROW}));
        assertEquals(4, model.numClasses());
    }

    @Test
    void files(@TempDir Path folder) throws IOException {
        Path text = folder.resolve("text.aoso");
        Files.writeString(text, "This is no model.");
        refuses(ModelFormatException.class, "text.aoso: ", () -> AosoModel.load(text));
        refuses(ModelFormatException.class, "not an aoso model file", () -> AosoModel.load(text.toString()));
        refuses(ModelFormatException.class, "empty", () -> AosoModel.load(InputStream.nullInputStream()));
        refuses(NoSuchFileException.class, "nowhere", () -> AosoModel.load(folder.resolve("nowhere")));
        refuses(NullPointerException.class, "path is null", () -> AosoModel.load((Path) null));
        refuses(NullPointerException.class, "path is null", () -> AosoModel.load((String) null));
        refuses(NullPointerException.class, "in is null", () -> AosoModel.load((InputStream) null));
    }

    /** Every bit of a file counts. */
    @Test
    void damagedFiles() throws IOException {
        byte[] file = Files.readAllBytes(Models.small());
        Random random = new Random(7);
        for (int i = 0; i < 2000; i++) {
            byte[] damaged = file.clone();
            damaged[random.nextInt(file.length)] ^= (byte) (1 << random.nextInt(8));
            assertThrows(ModelFormatException.class, () -> AosoModel.load(new ByteArrayInputStream(damaged)));
            byte[] truncated = Arrays.copyOf(file, random.nextInt(file.length));
            assertThrows(ModelFormatException.class, () -> AosoModel.load(new ByteArrayInputStream(truncated)));
        }
    }
}
