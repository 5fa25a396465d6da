package io.github.libaoso;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.Cleaner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;

/**
 * A model that aoso has trained. It never changes, and any number of threads may use it at the same time.
 *
 * <pre>{@code
 * try (AosoModel model = AosoModel.load("letters.aoso")) {
 *     String letter = model.predict(row);
 *     double[] proba = model.predictProba(row);
 * }
 * }</pre>
 *
 * <p>A row has a value for each feature, in the model's order. NaN is missing. The value of a categorical feature is the position of its
 * category, which {@link #category} returns; {@link #UNSEEN} is a category that the model does not know.
 *
 * <p>{@link #close} frees memory outside the heap. Calls that are running then finish, and later ones throw
 * {@link IllegalStateException}. A model that is never closed is freed after it has become unreachable.
 */
public final class AosoModel implements AutoCloseable {
    /** The value of a categorical feature for every category that the model does not know. */
    public static final double UNSEEN = -1;

    private static final Cleaner CLEANER = Cleaner.create();

    /** How many numbers {@link #predictProba(double[][])} copies at a time. */
    private static final int CHUNK = 1 << 20;

    private final Handle handle;
    private final Cleaner.Cleanable cleanable;
    private final int classes;
    private final int features;
    private final int trees;
    private final long memory;
    private final List<String> classNames;
    private final List<String> featureNames;
    private final List<List<String>> categories; // null: the feature is numeric
    private final Map<String, Integer> featureNumbers;
    private final List<Map<String, Integer>> categoryNumbers;

    private AosoModel(long model) {
        handle = new Handle(model);
        cleanable = CLEANER.register(this, handle);
        classes = Math.toIntExact(Library.classes(model));
        features = Math.toIntExact(Library.features(model));
        trees = Math.toIntExact(Library.trees(model));
        memory = Library.memory(model);
        classNames = names(classes, k -> Library.className(model, k));
        featureNames = names(features, j -> Library.featureName(model, j));
        featureNumbers = numbers(featureNames);
        categories = new ArrayList<>(features);
        categoryNumbers = new ArrayList<>(features);
        for (int j = 0; j < features; j++) {
            int feature = j, count = Math.toIntExact(Library.categories(model, j));
            List<String> own = count < 0 ? null : names(count, i -> Library.categoryName(model, feature, i));
            categories.add(own);
            categoryNumbers.add(own == null ? null : numbers(own));
        }
    }

    /**
     * Reads a model from a file.
     *
     * @throws IOException if the file cannot be read
     * @throws ModelFormatException if it is not a model file, or truncated, damaged or too new
     */
    public static AosoModel load(Path path) throws IOException {
        Objects.requireNonNull(path, "path is null; allowed: the path of a model file");
        byte[] file = Files.readAllBytes(path);
        try {
            return decode(file);
        } catch (ModelFormatException e) {
            throw new ModelFormatException(path + ": " + e.getMessage());
        }
    }

    /** Reads a model from the file at a path. */
    public static AosoModel load(String path) throws IOException {
        return load(Path.of(Objects.requireNonNull(path, "path is null; allowed: the path of a model file")));
    }

    /** Reads a model from a stream, up to its end, and leaves the stream open. */
    public static AosoModel load(InputStream in) throws IOException {
        return decode(Objects.requireNonNull(in, "in is null; allowed: a stream of a model file").readAllBytes());
    }

    private static AosoModel decode(byte[] file) throws ModelFormatException {
        long model = Library.decode(file);
        try {
            return new AosoModel(model);
        } catch (ArithmeticException e) {
            throw new ModelFormatException("the model has more classes, features, trees or categories than Java has numbers for");
        }
    }

    private static List<String> names(int count, IntFunction<byte[]> name) {
        List<String> names = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            names.add(new String(name.apply(i), StandardCharsets.UTF_8));
        }
        return Collections.unmodifiableList(names);
    }

    /** Returns the position of each name. Of equal names, the first counts. */
    private static Map<String, Integer> numbers(List<String> names) {
        Map<String, Integer> numbers = new HashMap<>();
        for (int i = 0; i < names.size(); i++) {
            numbers.putIfAbsent(names.get(i), i);
        }
        return numbers;
    }

    // ------------------------------------------------------------ what it is --

    /** Returns the number of classes. */
    public int numClasses() {
        return classes;
    }

    /** Returns the number of features, which is the length of a row. */
    public int numFeatures() {
        return features;
    }

    /** Returns the number of trees. */
    public int numTrees() {
        return trees;
    }

    /** Returns the bytes of memory that the model takes outside the heap. */
    public long memory() {
        return memory;
    }

    /** Returns the names of the classes, in the order of probabilities. */
    public List<String> classNames() {
        return classNames;
    }

    /** Returns the names of the features, in the order of a row. */
    public List<String> featureNames() {
        return featureNames;
    }

    /** Returns the position of a feature in a row. */
    public int feature(String name) {
        Integer number = featureNumbers.get(Objects.requireNonNull(name, "name is null; allowed: the name of a feature"));
        if (number == null) {
            throw new IllegalArgumentException("name is " + quoted(name) + "; allowed: the features " + some(featureNames));
        }
        return number;
    }

    /** Reports whether the values of a feature are categories. */
    public boolean isCategorical(int feature) {
        return categories.get(checkFeature(feature)) != null;
    }

    /** Returns the names of a feature's categories, by position; an empty list if the feature is numeric. */
    public List<String> categories(int feature) {
        List<String> own = categories.get(checkFeature(feature));
        return own == null ? Collections.emptyList() : own;
    }

    /**
     * Returns the value of a category of a feature. To let the model predict with categories that it does not know, use
     * {@link #categoryOr}.
     *
     * @throws IllegalArgumentException if the feature is numeric, or does not have the category
     */
    public double category(int feature, String name) {
        Integer number = find(feature, name);
        if (number == null) {
            throw new IllegalArgumentException("name is " + quoted(name) + "; allowed: the categories of feature "
                + quoted(featureNames.get(feature)) + ", " + some(categories.get(feature)));
        }
        return number;
    }

    /** Returns the value of a category of a feature, or {@code other}, such as {@link #UNSEEN}, if the model does not know the category. */
    public double categoryOr(int feature, String name, double other) {
        Integer number = find(feature, name);
        return number == null ? other : number;
    }

    private Integer find(int feature, String name) {
        Objects.requireNonNull(name, "name is null; allowed: the name of a category; the value of a missing one is NaN");
        Map<String, Integer> own = categoryNumbers.get(checkFeature(feature));
        if (own == null) {
            throw new IllegalArgumentException("feature is " + feature + ", " + quoted(featureNames.get(feature)) + ", which is numeric; allowed: categorical features");
        }
        return own.get(name);
    }

    private int checkFeature(int feature) {
        if (feature < 0 || feature >= features) {
            throw new IllegalArgumentException("feature is " + feature + "; allowed: 0 to " + (features - 1));
        }
        return feature;
    }

    private static String quoted(String name) {
        return '"' + (name.length() <= 60 ? name : name.substring(0, 60) + "…") + '"';
    }

    private static String some(List<String> names) {
        String listed = String.join(", ", names.subList(0, Math.min(10, names.size())));
        return names.size() <= 10 ? listed : listed + " … (" + names.size() + ")";
    }

    // --------------------------------------------------------------- one row --

    /** Returns the name of the most likely class of a row. Of equal ones, the first wins. */
    public String predict(double[] row) {
        return classNames.get(predictIndex(row));
    }

    /** Returns the number of the most likely class of a row. */
    public int predictIndex(double[] row) {
        checkRow(row);
        int[] out = new int[1];
        predict(row, 1, out);
        return out[0];
    }

    /** Returns the probabilities of the classes. */
    public double[] predictProba(double[] row) {
        return predictProba(row, new double[classes]);
    }

    /** Writes the probabilities of the classes to {@code out}, which it returns, and allocates nothing. */
    public double[] predictProba(double[] row, double[] out) {
        checkRow(row);
        return scores(row, 1, out, false);
    }

    /** Returns the raw scores of the classes, which a softmax makes probabilities of. */
    public double[] predictRaw(double[] row) {
        return predictRaw(row, new double[classes]);
    }

    /** Writes the raw scores of the classes to {@code out}, which it returns, and allocates nothing. */
    public double[] predictRaw(double[] row, double[] out) {
        checkRow(row);
        return scores(row, 1, out, true);
    }

    // ------------------------------------------------------------- many rows --

    /** Returns the probabilities of the classes of each row. */
    public double[][] predictProba(double[][] rows) {
        double[][] proba = new double[checkRows(rows)][];
        int most = Math.max(1, CHUNK / Math.max(features, classes));
        for (int first = 0; first < rows.length; first += most) {
            int count = Math.min(most, rows.length - first);
            double[] out = predictProba(flat(rows, first, count), count, new double[count * classes]);
            for (int i = 0; i < count; i++) {
                proba[first + i] = Arrays.copyOfRange(out, i * classes, (i + 1) * classes);
            }
        }
        return proba;
    }

    /** Returns the name of the most likely class of each row. */
    public String[] predict(double[][] rows) {
        int[] found = predictIndex(rows);
        String[] names = new String[found.length];
        for (int i = 0; i < found.length; i++) {
            names[i] = classNames.get(found[i]);
        }
        return names;
    }

    /** Returns the number of the most likely class of each row. */
    public int[] predictIndex(double[][] rows) {
        int[] found = new int[checkRows(rows)];
        int most = Math.max(1, CHUNK / Math.max(1, features));
        for (int first = 0; first < rows.length; first += most) {
            int count = Math.min(most, rows.length - first);
            int[] out = new int[count];
            predict(flat(rows, first, count), count, out);
            System.arraycopy(out, 0, found, first, count);
        }
        return found;
    }

    /**
     * Writes the probabilities of {@code count} rows to {@code out}, which it returns. Rows follow one another in {@code rows}, and their
     * probabilities in {@code out}.
     */
    public double[] predictProba(double[] rows, int count, double[] out) {
        checkFlat(rows, count);
        return scores(rows, count, out, false);
    }

    /** Writes the number of the most likely class of {@code count} rows, which follow one another, to {@code out}, which it returns. */
    public int[] predictIndex(double[] rows, int count, int[] out) {
        checkFlat(rows, count);
        Objects.requireNonNull(out, () -> "out is null; allowed: an array of length " + count);
        if (out.length != count) {
            throw new IllegalArgumentException("out has length " + out.length + "; allowed: " + count + ", the rows");
        }
        predict(rows, count, out);
        return out;
    }

    private double[] flat(double[][] rows, int first, int count) {
        double[] flat = new double[count * features];
        for (int i = 0; i < count; i++) {
            System.arraycopy(rows[first + i], 0, flat, i * features, features);
        }
        return flat;
    }

    // ----------------------------------------------------------------- calls --

    private void predict(double[] rows, int count, int[] out) {
        long model = handle.acquire();
        try {
            Library.predict(model, rows, count, out);
        } finally {
            handle.release();
        }
    }

    private double[] scores(double[] rows, int count, double[] out, boolean raw) {
        long length = (long) count * classes;
        if (out == null) {
            throw new NullPointerException("out is null; allowed: an array of length " + length);
        }
        if (out.length != length) {
            throw new IllegalArgumentException("out has length " + out.length + "; allowed: " + length + ", the classes of the model" + (count == 1 ? "" : " for each row"));
        }
        long model = handle.acquire();
        try {
            Library.scores(model, rows, count, out, raw);
        } finally {
            handle.release();
        }
        return out;
    }

    private void checkRow(double[] row) {
        if (row == null) {
            throw new NullPointerException("row is null; allowed: an array of length " + features);
        }
        if (row.length != features) {
            throw new IllegalArgumentException("row has length " + row.length + "; allowed: " + features + ", the features of the model");
        }
    }

    private int checkRows(double[][] rows) {
        Objects.requireNonNull(rows, "rows is null; allowed: an array of rows");
        for (int i = 0; i < rows.length; i++) {
            if (rows[i] == null) {
                throw new NullPointerException("rows[" + i + "] is null; allowed: an array of length " + features);
            }
            if (rows[i].length != features) {
                throw new IllegalArgumentException("rows[" + i + "] has length " + rows[i].length + "; allowed: " + features + ", the features of the model");
            }
        }
        return rows.length;
    }

    private void checkFlat(double[] rows, int count) {
        if (count < 0) {
            throw new IllegalArgumentException("count is " + count + "; allowed: 0 or more");
        }
        long length = (long) count * features;
        if (rows == null) {
            throw new NullPointerException("rows is null; allowed: an array of length " + length);
        }
        if (rows.length != length) {
            throw new IllegalArgumentException("rows has length " + rows.length + "; allowed: " + length + ", the features of " + count + " rows");
        }
    }

    /** Frees the model, after the calls that are running. Closing it again does nothing. */
    @Override
    public void close() {
        cleanable.clean();
    }

    @Override
    public String toString() {
        return "AosoModel(" + classes + " classes, " + features + " features, " + trees + " trees)";
    }
}
