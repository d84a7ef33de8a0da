# Student's t around the difference of two qualities, times the annotator's use of the scale; the
# annotators' effects do not sum to zero. Differences are two memberships, +1 and -1.

source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))

judgements <- read.csv(data_file)
judgements$plus <- 1
judgements$minus <- -1
end_stage("read")
fit <- fit_by_stage(
  bf(
    strength ~ exp(x) * d,
    x ~ 0 + (1 | annotator),
    d ~ 1 + (1 | mm(system_a, system_b, weights = cbind(plus, minus), scale = FALSE)),
    sigma ~ 1 + (1 | annotator),
    nl = TRUE
  ),
  judgements, student(),
  prior = c(
    set_prior("normal(0, 0.5)", class = "sd", nlpar = "x"),
    set_prior("normal(0, 50)", class = "sd", nlpar = "d"),
    set_prior("normal(0, 25)", class = "b", nlpar = "d"),
    set_prior("normal(log(30), 1)", class = "Intercept", dpar = "sigma"),
    set_prior("normal(0, 0.5)", class = "sd", dpar = "sigma"),
    set_prior("gamma(2, 0.1)", class = "nu")
  )
)
# Qualities as the annotator with the mean x sees them, since x does not sum to zero here.
factor <- exp(rowMeans(effects_of(fit, "annotator", "x")))
answer(fit, effects_of(fit, "mmsystem_asystem_b", "d"), factor)
