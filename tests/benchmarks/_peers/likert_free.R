# Cumulative probit with thresholds by annotator: brms has them, but does not pool them.

source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))

ratings <- read.csv(data_file)
end_stage("read")
fit <- fit_by_stage(
  bf(rating | thres(4, gr = annotator) ~ 1 + (1 | system)), ratings, cumulative("probit"),
  prior = c(
    set_prior("normal(0, 1.5)", class = "Intercept"),
    set_prior("normal(0, 1)", class = "sd")
  ),
  # From brms's random starts the thresholds of ninety annotators have no finite density.
  init = 0
)
answer(fit, effects_of(fit, "system"))
