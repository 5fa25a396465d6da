package io.github.libaoso;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Threads share a model, also while one of them closes it. */
class ThreadTest {
    private static final int THREADS = 8;

    private static List<Integer> together(Callable<Integer> task) throws InterruptedException, ExecutionException {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<Integer>> futures = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                futures.add(pool.submit(task));
            }
            List<Integer> results = new ArrayList<>();
            for (Future<Integer> future : futures) {
                results.add(future.get());
            }
            return results;
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void share() throws Exception {
        try (AosoModel model = AosoModel.load(Models.small())) {
            double[][] rows = Models.rows(Models.doubles("model", "rows"), model.numFeatures());
            double[][] expected = model.predictProba(rows);
            together(() -> {
                double[] out = new double[model.numClasses()];
                for (int i = 0; i < 5000; i++) {
                    assertArrayEquals(expected[i % rows.length], model.predictProba(rows[i % rows.length], out));
                }
                return 0;
            });
        }
    }

    /** A call either predicts or throws IllegalStateException. A call that used freed memory would crash or differ. */
    @Test
    void closeDuringPredictions() throws Exception {
        int predicted = 0;
        for (int round = 0; round < 30; round++) {
            AosoModel model = AosoModel.load(Models.small());
            double[][] rows = Models.rows(Models.doubles("model", "rows"), model.numFeatures());
            double[][] expected = model.predictProba(rows);
            CountDownLatch begun = new CountDownLatch(THREADS - 1);
            List<Integer> calls = together(() -> {
                double[] out = new double[model.numClasses()];
                begun.countDown();
                if (begun.getCount() == 0) {
                    model.close();
                }
                for (int i = 0;; i++) {
                    try {
                        if (i % 10 == 9) {
                            assertArrayEquals(expected[0], model.predictProba(rows)[0]);
                        } else {
                            assertArrayEquals(expected[i % rows.length], model.predictProba(rows[i % rows.length], out));
                        }
                    } catch (IllegalStateException e) {
                        assertEquals("the model is closed; allowed: calls before close()", e.getMessage());
                        return i;
                    }
                }
            });
            predicted += calls.stream().mapToInt(Integer::intValue).sum();
        }
        assertTrue(predicted > 0, "every model was closed before its first prediction");
    }

    /** Models that are not closed are freed after the garbage collector has found them. */
    @Test
    void unreachableModels() throws IOException, InterruptedException {
        byte[] file = Files.readAllBytes(Models.small());
        long before = resident(), loaded = 0;
        for (int i = 0; i < 8_000; i++) {
            loaded += AosoModel.load(new ByteArrayInputStream(file)).memory();
            if (i % 1000 == 0) {
                System.gc();
            }
        }
        System.gc();
        Thread.sleep(200);
        long grown = resident() - before;
        assertTrue(grown < loaded / 2, "models of " + loaded + " bytes left " + grown);
    }

    private static long resident() throws IOException {
        String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ");
        return Long.parseLong(pages[1]) * 4096;
    }
}
