# Cumulative probit in which annotators shift the thresholds that they share, and stretch them.

source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))

ratings <- read.csv(data_file)
end_stage("read")
fit <- fit_by_stage(
  bf(rating ~ 1 + (1 | system) + (1 | annotator), disc ~ 0 + (1 | annotator)),
  ratings, cumulative("probit"),
  prior = c(
    set_prior("normal(0, 1.5)", class = "Intercept"),
    set_prior("normal(0, 1)", class = "sd"),
    set_prior("normal(0, 0.5)", class = "sd", dpar = "disc")
  )
)
answer(fit, effects_of(fit, "system"))
