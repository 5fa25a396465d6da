import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jpmml.evaluator.Evaluator;
import org.jpmml.evaluator.EvaluatorUtil;
import org.jpmml.evaluator.LoadingModelEvaluatorBuilder;
import org.jpmml.evaluator.OutputField;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Evaluates a PMML file on rows from the standard input: a line of names, then a line for each row, with tabs between. An empty cell is
 * missing. Each line of the output has the label and the probability of each class.
 */
public class Evaluate {
    public static void main(String[] args) throws Exception {
        Evaluator evaluator = new LoadingModelEvaluatorBuilder().load(new File(args[0])).build();
        String target = evaluator.getTargetFields().get(0).getName();
        List<OutputField> probabilities = evaluator.getOutputFields();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        PrintStream out = new PrintStream(System.out, false, UTF_8);
        String[] names = in.readLine().split("\t", -1);
        for (String line; (line = in.readLine()) != null; ) {
            String[] cells = line.split("\t", -1);
            Map<String, Object> row = new HashMap<>();
            for (int j = 0; j < names.length; j++) row.put(names[j], cells[j].isEmpty() ? null : cells[j]);
            Map<String, ?> results = EvaluatorUtil.decodeAll(evaluator.evaluate(row));
            out.print(results.get(target));
            for (OutputField probability : probabilities) out.print("\t" + results.get(probability.getName()));
            out.println();
        }
        out.flush();
    }
}
