// Log magnitude without a reference, classic magnitude estimation: see card.md.
//
//   log magnitude - unit ~ student_t(df, modulus_mean + modulus[a] + exp(log_scale[a]) * w, spread)
//   w = quality[s] - difficulty[i]
//
// a annotator, s system, i item; unit is the median log magnitude. Parameters are centred, densities
// are normalised, prior scales come in as data.

functions {
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
  int<lower=1> n_systems;
  int<lower=1> n_annotators;
  int<lower=1> n_items;
  array[n_rows] int<lower=1, upper=n_systems> system;
  array[n_rows] int<lower=1, upper=n_annotators> annotator;
  array[n_rows] int<lower=1, upper=n_items> item;
  vector<lower=0>[n_rows] magnitude; // 0: below the smallest positive magnitude
  array[n_rows] int<lower=1> count; // how many judgements the row stands for
  real unit; // median of the logs of the positive magnitudes
  real<lower=0> resolution;

  real<lower=0> quality_sd_scale;
  real<lower=0> difficulty_sd_scale;
  real<lower=0> modulus_sd_scale;
  real<lower=0> log_spread_sd_scale;
  real<lower=0> log_scale_sd_scale;
  real<lower=0> modulus_scale;
  real<lower=0> spread_centre;
  real<lower=0> log_spread_scale;
  real<lower=0> degrees_shape;
  real<lower=0> degrees_centre;
}

transformed data {
  real smallest = positive_infinity();
  for (n in 1:n_rows) {
    if (magnitude[n] > 0) {
      smallest = fmin(smallest, magnitude[n]);
    }
  }
}

parameters {
  real<lower=0> quality_sd;
  sum_to_zero_vector[n_systems] quality;
  real<lower=0> difficulty_sd;
  vector[n_items] difficulty;
  real<lower=0> modulus_sd;
  sum_to_zero_vector[n_annotators] modulus;
  real<lower=0> log_spread_sd;
  sum_to_zero_vector[n_annotators] log_spread;
  real<lower=0> log_scale_sd;
  sum_to_zero_vector[n_annotators] log_scale;
  real modulus_mean;
  real log_spread_mean;
  real<lower=0> degrees_of_freedom;
}

transformed parameters {
  // log density of one judgement of the row, by the log magnitude
  vector[n_rows] log_lik;
  for (n in 1:n_rows) {
    int a = annotator[n];
    real w = quality[system[n]] - difficulty[item[n]];
    real location = modulus_mean + modulus[a] + exp(log_scale[a]) * w;
    real spread = hypot(exp(log_spread_mean + log_spread[a]), resolution);
    if (magnitude[n] > 0) {
      log_lik[n] = student_t_lpdf(log(magnitude[n]) - unit | degrees_of_freedom, location, spread);
    } else {
      log_lik[n] = student_t_lcdf(log(smallest) - unit | degrees_of_freedom, location, spread);
    }
  }
}

model {
  target += half_normal_lpdf(quality_sd | quality_sd_scale);
  target += zero_sum_normal_lpdf(quality | quality_sd);
  target += half_normal_lpdf(difficulty_sd | difficulty_sd_scale);
  for (i in 1:n_items) {
    target += normal_lpdf(difficulty[i] | 0, difficulty_sd);
  }
  target += half_normal_lpdf(modulus_sd | modulus_sd_scale);
  target += zero_sum_normal_lpdf(modulus | modulus_sd);
  target += half_normal_lpdf(log_spread_sd | log_spread_sd_scale);
  target += zero_sum_normal_lpdf(log_spread | log_spread_sd);
  target += half_normal_lpdf(log_scale_sd | log_scale_sd_scale);
  target += zero_sum_normal_lpdf(log_scale | log_scale_sd);
  target += normal_lpdf(modulus_mean | 0, modulus_scale);
  target += normal_lpdf(log_spread_mean | log(spread_centre), log_spread_scale);
  target += gamma_lpdf(degrees_of_freedom | degrees_shape, degrees_shape / degrees_centre);

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
