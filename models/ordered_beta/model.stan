// Ordered beta for stated probabilities, structure "qualities" with every effect: see card.md.
//
//   e = exp(log_extremity[r]) * (z[a] - z[b] +- departure[p]) + direction_bias
//   departure = circle_basis * pair: what no qualities can give
//   z[s] = quality[s] + taste[s, r] + interaction[s, i] + deviation[m, s]
//   P(0) = inv_logit(-e - kappa), P(1) = inv_logit(e - kappa), otherwise
//   y ~ beta(inv_logit(e) * phi, inv_logit(-e) * phi), kappa = log(2 / end_probability - 1)
//
// r annotator, a the system named first, b the other, p their pair, i item, m level of a moderator.
// Parameters are centred, densities are normalised, prior scales come in as data.

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
  int<lower=1> n_items;
  int<lower=1> n_levels;
  int<lower=1> n_pairs;
  int<lower=1> n_circles;
  array[n_rows] int<lower=1, upper=n_systems> system_a;
  array[n_rows] int<lower=1, upper=n_systems> system_b;
  array[n_rows] int<lower=1, upper=n_pairs> system_pair;
  matrix[n_pairs, n_circles] circle_basis;
  array[n_rows] int<lower=1, upper=n_annotators> annotator;
  array[n_rows] int<lower=1, upper=n_items> item;
  array[n_rows] int<lower=1, upper=n_levels> level;
  vector<lower=0, upper=1>[n_rows] probability;
  array[n_rows] int<lower=1> count; // how many judgements the row stands for
  real<lower=0> resolution;

  real<lower=0> quality_sd_scale;
  real<lower=0> pair_sd_scale;
  real<lower=0> taste_sd_scale;
  real<lower=0> interaction_sd_scale;
  real<lower=0> deviation_sd_scale;
  real<lower=0> log_extremity_sd_scale;
  real<lower=0> log_precision_sd_scale;
  real<lower=0> end_a;
  real<lower=0> end_b;
  real<lower=0> precision_centre;
  real<lower=0> log_precision_scale;
  real<lower=0> direction_bias_scale;
}

parameters {
  real<lower=0> quality_sd;
  sum_to_zero_vector[n_systems] quality;
  real<lower=0> pair_sd;
  vector[n_circles] pair;
  real<lower=0> taste_sd;
  matrix[n_systems, n_annotators] taste;
  real<lower=0> interaction_sd;
  matrix[n_systems, n_items] interaction;
  real<lower=0> deviation_sd;
  array[n_levels] sum_to_zero_vector[n_systems] deviation;
  real<lower=0> log_extremity_sd;
  sum_to_zero_vector[n_annotators] log_extremity;
  real<lower=0> log_precision_sd;
  sum_to_zero_vector[n_annotators] log_precision;
  real<lower=0, upper=1> end_probability;
  real log_precision_mean;
  real direction_bias;
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
    real difference = quality[a] - quality[b] + taste[a, r] - taste[b, r]
                      + interaction[a, i] - interaction[b, i]
                      + deviation[m][a] - deviation[m][b];
    real departure = 0;
    for (c in 1:n_circles) {
      departure += circle_basis[system_pair[n], c] * pair[c];
    }
    if (a < b) {
      difference += departure;
    } else {
      difference -= departure;
    }
    real e = exp(log_extremity[r]) * difference + direction_bias;
    log_lik[n] = ordered_beta_lpdf(probability[n] | e, end_probability,
                                   log_precision_mean + log_precision[r], resolution);
  }
}

model {
  target += half_normal_lpdf(quality_sd | quality_sd_scale);
  target += zero_sum_normal_lpdf(quality | quality_sd);
  target += half_normal_lpdf(pair_sd | pair_sd_scale);
  for (c in 1:n_circles) {
    target += normal_lpdf(pair[c] | 0, pair_sd);
  }
  target += half_normal_lpdf(taste_sd | taste_sd_scale);
  target += half_normal_lpdf(interaction_sd | interaction_sd_scale);
  for (s in 1:n_systems) {
    for (r in 1:n_annotators) {
      target += normal_lpdf(taste[s, r] | 0, taste_sd);
    }
    for (i in 1:n_items) {
      target += normal_lpdf(interaction[s, i] | 0, interaction_sd);
    }
  }
  target += half_normal_lpdf(deviation_sd | deviation_sd_scale);
  for (m in 1:n_levels) {
    target += zero_sum_normal_lpdf(deviation[m] | deviation_sd);
  }
  target += half_normal_lpdf(log_extremity_sd | log_extremity_sd_scale);
  target += zero_sum_normal_lpdf(log_extremity | log_extremity_sd);
  target += half_normal_lpdf(log_precision_sd | log_precision_sd_scale);
  target += zero_sum_normal_lpdf(log_precision | log_precision_sd);
  target += beta_lpdf(end_probability | end_a, end_b);
  target += normal_lpdf(log_precision_mean | log(precision_centre), log_precision_scale);
  target += normal_lpdf(direction_bias | 0, direction_bias_scale);

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
