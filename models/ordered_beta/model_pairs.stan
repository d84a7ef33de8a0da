// Ordered beta for stated probabilities, structure "pairs": see card.md.
//
//   e = +- exp(log_extremity[r]) * pair[p], + where the lower system of the pair is named first
//
// r annotator, p the pair. Parameters are centred, densities are normalised, prior scales come in as
// data.

functions {
  // Log density of one answer: a probability at the ends, a density between them.
  real ordered_beta_lpdf(real y, real e, real end, real log_precision, real resolution) {
    real kappa = log(2 - end) - log(end);
    if (y == 0) {
      return log_inv_logit(-e - kappa);
    }
    if (y == 1) {
      return log_inv_logit(e - kappa);
    }
    real phi = 1 / (exp(-log_precision) + 4 * square(resolution));
    // inv_logit(e + kappa) - inv_logit(e - kappa), without subtracting
    real between = log_inv_logit(e + kappa) + log_inv_logit(kappa - e) + log1m_exp(-2 * kappa);
    return between + beta_lpdf(y | inv_logit(e) * phi, inv_logit(-e) * phi);
  }

  // A normal vector conditioned to sum to zero. It has one dimension less than it has
  // elements, hence the one normalising factor taken back.
  real zero_sum_normal_lpdf(vector x, real sd) {
    real density = -normal_lpdf(0 | 0, sd);
    for (s in 1:size(x)) {
      density += normal_lpdf(x[s] | 0, sd);
    }
    return density;
  }

  real half_normal_lpdf(real x, real scale) {
    return normal_lpdf(x | 0, scale) + log(2);
  }
}

data {
  int<lower=1> n_rows;
  int<lower=2> n_systems;
  int<lower=1> n_annotators;
  int<lower=1> n_pairs;
  array[n_rows] int<lower=1, upper=n_systems> system_a;
  array[n_rows] int<lower=1, upper=n_systems> system_b;
  array[n_rows] int<lower=1, upper=n_pairs> system_pair;
  array[n_rows] int<lower=1, upper=n_annotators> annotator;
  vector<lower=0, upper=1>[n_rows] probability;
  array[n_rows] int<lower=1> count; // how many judgements the row stands for
  real<lower=0> resolution;

  real<lower=0> pair_mean_sd_scale;
  real<lower=0> log_extremity_sd_scale;
  real<lower=0> log_precision_sd_scale;
  real<lower=0> end_a;
  real<lower=0> end_b;
  real<lower=0> precision_centre;
  real<lower=0> log_precision_scale;
}

parameters {
  real<lower=0> pair_sd;
  vector[n_pairs] pair;
  real<lower=0> log_extremity_sd;
  sum_to_zero_vector[n_annotators] log_extremity;
  real<lower=0> log_precision_sd;
  sum_to_zero_vector[n_annotators] log_precision;
  real<lower=0, upper=1> end_probability;
  real log_precision_mean;
}

transformed parameters {
  // log density of one judgement of the row
  vector[n_rows] log_lik;
  for (n in 1:n_rows) {
    int r = annotator[n];
    real e = exp(log_extremity[r]) * pair[system_pair[n]];
    if (system_a[n] > system_b[n]) {
      e = -e;
    }
    log_lik[n] = ordered_beta_lpdf(probability[n] | e, end_probability,
                                   log_precision_mean + log_precision[r], resolution);
  }
}

model {
  target += half_normal_lpdf(pair_sd | pair_mean_sd_scale);
  for (p in 1:n_pairs) {
    target += normal_lpdf(pair[p] | 0, pair_sd);
  }
  target += half_normal_lpdf(log_extremity_sd | log_extremity_sd_scale);
  target += zero_sum_normal_lpdf(log_extremity | log_extremity_sd);
  target += half_normal_lpdf(log_precision_sd | log_precision_sd_scale);
  target += zero_sum_normal_lpdf(log_precision | log_precision_sd);
  target += beta_lpdf(end_probability | end_a, end_b);
  target += normal_lpdf(log_precision_mean | log(precision_centre), log_precision_scale);

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
