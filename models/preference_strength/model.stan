// Preference strength, positions of a slider (ordered beta) with every effect: see card.md.
//
//   e = exp(log_scale[r]) * (z[a] - z[b] + side_bias)
//   z[s] = quality[s] + interaction[s, i] + taste[s, r] + deviation[m, s]
//   P(-bound) = inv_logit(-e - kappa), P(bound) = inv_logit(e - kappa)
//   P(0 | no end) = 4 * middle_probability * inv_logit(e) * inv_logit(-e), otherwise
//   (strength / bound + 1) / 2 ~ beta(inv_logit(e) * phi, inv_logit(-e) * phi)
//   kappa = log(2 / end_probability - 1)
//
// r annotator, a the system shown as a, b the other, i item, m level of a moderator. Parameters are
// centred, densities are normalised, prior scales come in as data.

functions {
  // Log probability of an end or of exactly the middle; elsewhere the log density of the position
  // from 0 to 1.
  real slider_lpdf(real y, real bound, real e, real end, real middle, real log_precision,
                   real resolution) {
    real kappa = log(2 - end) - log(end);
    if (y == -bound) {
      return log_inv_logit(-e - kappa);
    }
    if (y == bound) {
      return log_inv_logit(e - kappa);
    }
    // inv_logit(e + kappa) - inv_logit(e - kappa), without subtracting
    real between = log_inv_logit(e + kappa) + log_inv_logit(kappa - e) + log1m_exp(-2 * kappa);
    real log_middle = log(4 * middle) + log_inv_logit(e) + log_inv_logit(-e);
    if (y == 0) {
      return between + log_middle;
    }
    real phi = 1 / (exp(-log_precision) + square(resolution));
    return between + log1m_exp(log_middle)
           + beta_lpdf((y / bound + 1) / 2 | inv_logit(e) * phi, inv_logit(-e) * phi);
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
  int<lower=1> n_items;
  int<lower=1> n_levels;
  array[n_rows] int<lower=1, upper=n_systems> system_a;
  array[n_rows] int<lower=1, upper=n_systems> system_b;
  array[n_rows] int<lower=1, upper=n_annotators> annotator;
  array[n_rows] int<lower=1, upper=n_items> item;
  array[n_rows] int<lower=1, upper=n_levels> level;
  real<lower=0> bound;
  vector<lower=-bound, upper=bound>[n_rows] strength;
  array[n_rows] int<lower=1> count; // how many judgements the row stands for
  real<lower=0> resolution; // a share of the bound

  real<lower=0> quality_sd_scale;
  real<lower=0> interaction_sd_scale;
  real<lower=0> taste_sd_scale;
  real<lower=0> deviation_sd_scale;
  real<lower=0> log_scale_sd_scale;
  real<lower=0> log_precision_sd_scale;
  real<lower=0> side_bias_scale;
  real<lower=0> end_a;
  real<lower=0> end_b;
  real<lower=0> middle_a;
  real<lower=0> middle_b;
  real<lower=0> precision_centre;
  real<lower=0> log_precision_scale;
}

parameters {
  real<lower=0> quality_sd;
  sum_to_zero_vector[n_systems] quality;
  real<lower=0> interaction_sd;
  matrix[n_systems, n_items] interaction;
  real<lower=0> taste_sd;
  matrix[n_systems, n_annotators] taste;
  real<lower=0> deviation_sd;
  array[n_levels] sum_to_zero_vector[n_systems] deviation;
  real<lower=0> log_scale_sd;
  sum_to_zero_vector[n_annotators] log_scale;
  real<lower=0> log_precision_sd;
  sum_to_zero_vector[n_annotators] log_precision;
  real side_bias;
  real<lower=0, upper=1> end_probability;
  real<lower=0, upper=1> middle_probability;
  real log_precision_mean;
}

transformed parameters {
  // log density of one judgement of the row
  vector[n_rows] log_lik;
  for (n in 1:n_rows) {
    int a = system_a[n];
    int b = system_b[n];
    int r = annotator[n];
    int i = item[n];
    int m = level[n];
    real z_a = quality[a] + interaction[a, i] + taste[a, r] + deviation[m][a];
    real z_b = quality[b] + interaction[b, i] + taste[b, r] + deviation[m][b];
    real e = exp(log_scale[r]) * (z_a - z_b + side_bias);
    log_lik[n] = slider_lpdf(strength[n] | bound, e, end_probability, middle_probability,
                             log_precision_mean + log_precision[r], resolution);
  }
}

model {
  target += half_normal_lpdf(quality_sd | quality_sd_scale);
  target += zero_sum_normal_lpdf(quality | quality_sd);
  target += half_normal_lpdf(interaction_sd | interaction_sd_scale);
  target += half_normal_lpdf(taste_sd | taste_sd_scale);
  for (s in 1:n_systems) {
    for (i in 1:n_items) {
      target += normal_lpdf(interaction[s, i] | 0, interaction_sd);
    }
    for (r in 1:n_annotators) {
      target += normal_lpdf(taste[s, r] | 0, taste_sd);
    }
  }
  target += half_normal_lpdf(deviation_sd | deviation_sd_scale);
  for (m in 1:n_levels) {
    target += zero_sum_normal_lpdf(deviation[m] | deviation_sd);
  }
  target += half_normal_lpdf(log_scale_sd | log_scale_sd_scale);
  target += zero_sum_normal_lpdf(log_scale | log_scale_sd);
  target += half_normal_lpdf(log_precision_sd | log_precision_sd_scale);
  target += zero_sum_normal_lpdf(log_precision | log_precision_sd);
  target += normal_lpdf(side_bias | 0, side_bias_scale);
  target += beta_lpdf(end_probability | end_a, end_b);
  target += beta_lpdf(middle_probability | middle_a, middle_b);
  target += normal_lpdf(log_precision_mean | log(precision_centre), log_precision_scale);

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
