"""The script of a user of XGBoost's estimator for Spark. test_spark.py runs it with another import."""

from pathlib import Path

from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import StringIndexer, VectorAssembler
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import SparkSession
from xgboost.spark import SparkXGBClassifier

spark = SparkSession.builder.getOrCreate()
table = spark.read.csv(str(Path.cwd() / "letter.csv"), header=True, inferSchema=True)
table = table.withColumn("held", table["x0"] % 3 == 0)
train, test = table.randomSplit([0.8, 0.2], seed=1)

indexer = StringIndexer(inputCol="lettr", outputCol="label")
assembler = VectorAssembler(inputCols=[name for name in table.columns if name not in ("lettr", "held")], outputCol="features")
classifier = SparkXGBClassifier(
    features_col="features", label_col="label", num_workers=2, n_estimators=8, learning_rate=0.3, subsample=0.9, reg_lambda=1.0, tree_method="hist",
    eval_metric="mlogloss", early_stopping_rounds=5, validation_indicator_col="held", random_state=1, verbosity=0,
)  # fmt: skip
grid = ParamGridBuilder().addGrid(classifier.max_depth, [2, 6]).addGrid(classifier.min_child_weight, [1.0]).build()
evaluator = MulticlassClassificationEvaluator(labelCol="label", predictionCol="prediction", metricName="accuracy")
search = CrossValidator(estimator=classifier, estimatorParamMaps=grid, evaluator=evaluator, numFolds=2, seed=1)
model = Pipeline(stages=[indexer, assembler, search]).fit(train)
best = model.stages[-1].bestModel
print("depths", dict(zip([2, 6], model.stages[-1].avgMetrics)))
print("importances", sorted(best.get_feature_importances(importance_type="gain").items(), key=lambda item: -item[1])[:3])
model.write().overwrite().save(str(Path.cwd() / "model"))
predicted = PipelineModel.load(str(Path.cwd() / "model")).transform(test)
predicted.select("lettr", "prediction", "probability", "rawPrediction").show(3)
print("accuracy", evaluator.evaluate(predicted))
