# The ordered beta of models/ordered_beta as a family of brms: the same likelihood and priors, but
# annotators' effects do not sum to zero. Differences of qualities are two memberships, +1 and -1.

source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))

judgements <- read.csv(data_file)
judgements$plus <- 1
judgements$minus <- -1
end_stage("read")

ordered_beta <- custom_family(
  "one_cut_beta", dpars = c("mu", "phi", "eps"), links = c("identity", "log", "identity"),
  lb = c(NA, 0, 0), ub = c(NA, NA, 1), type = "real"
)
density <- "
  real one_cut_beta_lpdf(real y, real mu, real phi, real eps) {
    real kappa = log(2 / eps - 1);
    real precision = 1 / (1 / phi + 4 * square(0.01));
    if (y == 0) return log_inv_logit(-mu - kappa);
    if (y == 1) return log_inv_logit(mu - kappa);
    return log1m_exp(-2 * kappa) + log_inv_logit(mu + kappa) + log_inv_logit(kappa - mu)
      + beta_lpdf(y | inv_logit(mu) * precision, inv_logit(-mu) * precision);
  }
"
fit <- fit_by_stage(
  bf(
    probability ~ exp(x) * d,
    x ~ 0 + (1 | annotator),
    d ~ 0 + (1 | mm(system_a, system_b, weights = cbind(plus, minus), scale = FALSE)),
    phi ~ 1 + (1 | annotator),
    nl = TRUE
  ),
  judgements, ordered_beta,
  prior = c(
    set_prior("normal(0, 0.5)", class = "sd", nlpar = "x"),
    set_prior("normal(0, 1)", class = "sd", nlpar = "d"),
    set_prior("normal(log(5), 1)", class = "Intercept", dpar = "phi"),
    set_prior("normal(0, 0.5)", class = "sd", dpar = "phi"),
    set_prior("beta(1, 9)", class = "eps")
  ),
  stanvars = stanvar(scode = density, block = "functions")
)
# Qualities as the annotator with the mean x sees them, since x does not sum to zero here.
factor <- exp(rowMeans(effects_of(fit, "annotator", "x")))
answer(fit, effects_of(fit, "mmsystem_asystem_b", "d"), factor)
