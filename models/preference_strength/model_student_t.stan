// Preference strength in points of the scale (Student's t) with every effect: see card.md.
//
//   strength ~ student_t(degrees_of_freedom, e, spread), censored at -bound and bound
//   e = exp(log_scale[r]) * (z[a] - z[b] + side_bias)
//   z[s] = quality[s] + interaction[s, i] + taste[s, r] + deviation[m, s]
//   spread = hypot(exp(log_spread_mean + log_spread[r]), resolution * bound)
//
// r annotator, a the system shown as a, b the other, i item, m level of a moderator. Parameters are
// centred, densities are normalised, prior scales come in as data: those of quality in halves of the
// bound.

functions {
  // Log density of an answer in points; at an end, log probability of all that lies beyond it.
  real points_lpdf(real y, real bound, real e, real df, real spread) {
    if (y == -bound) {
      return student_t_lcdf(-bound | df, e, spread);
    }
    if (y == bound) {
      return student_t_lcdf(-bound | df, -e, spread); // the mirror image: a lower tail
    }
    return student_t_lpdf(y | df, e, spread);
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
  real<lower=0> log_spread_sd_scale;
  real<lower=0> side_bias_scale;
  real<lower=0> spread_centre;
  real<lower=0> log_spread_scale;
  real<lower=0> degrees_shape;
  real<lower=0> degrees_rate;
}

transformed data {
  real unit = bound / 2; // what the prior scales of quality count
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
  real<lower=0> log_spread_sd;
  sum_to_zero_vector[n_annotators] log_spread;
  real side_bias;
  real log_spread_mean;
  real<lower=0> degrees_of_freedom;
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
    real spread = hypot(exp(log_spread_mean + log_spread[r]), resolution * bound);
    log_lik[n] = points_lpdf(strength[n] | bound, e, degrees_of_freedom, spread);
  }
}

model {
  target += half_normal_lpdf(quality_sd | quality_sd_scale * unit);
  target += zero_sum_normal_lpdf(quality | quality_sd);
  target += half_normal_lpdf(interaction_sd | interaction_sd_scale * unit);
  target += half_normal_lpdf(taste_sd | taste_sd_scale * unit);
  for (s in 1:n_systems) {
    for (i in 1:n_items) {
      target += normal_lpdf(interaction[s, i] | 0, interaction_sd);
    }
    for (r in 1:n_annotators) {
      target += normal_lpdf(taste[s, r] | 0, taste_sd);
    }
  }
  target += half_normal_lpdf(deviation_sd | deviation_sd_scale * unit);
  for (m in 1:n_levels) {
    target += zero_sum_normal_lpdf(deviation[m] | deviation_sd);
  }
  target += half_normal_lpdf(log_scale_sd | log_scale_sd_scale);
  target += zero_sum_normal_lpdf(log_scale | log_scale_sd);
  target += half_normal_lpdf(log_spread_sd | log_spread_sd_scale);
  target += zero_sum_normal_lpdf(log_spread | log_spread_sd);
  target += normal_lpdf(side_bias | 0, side_bias_scale * unit);
  target += normal_lpdf(log_spread_mean | log(spread_centre * unit), log_spread_scale);
  target += gamma_lpdf(degrees_of_freedom | degrees_shape, degrees_rate);

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
