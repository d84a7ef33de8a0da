// Log magnitude with sides of the reference: the standard program of card.md.
//
//   P(below) = Phi(-band - u), P(above) = Phi(u - band), otherwise exactly the reference
//   u = level - severity[a] + w
//   log ratio given its side ~ student_t(df, modulus_mean + modulus[a] + exp(log_step + log_scale[a]) * w,
//                                        spread), cut at 0
//   w = quality[s] - difficulty[i] + interaction[s, i] + taste[s, a]
//
// a annotator, s system, i item. Parameters are centred, densities are normalised, prior scales come
// in as data. quality is in units of the noise of the decision; a log ratio after exp(log_step).

functions {
  // log(Phi(band - u) - Phi(-band - u)), mirrored so that both CDFs are in the lower tail.
  real log_within_band(real u, real band) {
    return log_diff_exp(std_normal_lcdf(band - abs(u) | ), std_normal_lcdf(-band - abs(u) | ));
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
  int<lower=1> n_systems;
  int<lower=1> n_annotators;
  int<lower=1> n_items;
  array[n_rows] int<lower=1, upper=n_systems> system;
  array[n_rows] int<lower=1, upper=n_annotators> annotator;
  array[n_rows] int<lower=1, upper=n_items> item;
  vector<lower=0>[n_rows] magnitude; // 0: below the smallest positive magnitude
  vector<lower=0>[n_rows] reference;
  array[n_rows] int<lower=1> count; // how many judgements the row stands for
  real<lower=0> resolution;

  real<lower=0> quality_sd_scale;
  real<lower=0> difficulty_sd_scale;
  real<lower=0> interaction_sd_scale;
  real<lower=0> taste_sd_scale;
  real<lower=0> severity_sd_scale;
  real<lower=0> modulus_sd_scale;
  real<lower=0> log_spread_sd_scale;
  real<lower=0> tie_band_sd_scale;
  real<lower=0> log_scale_sd_scale;
  real<lower=0> modulus_scale;
  real<lower=0> spread_centre;
  real<lower=0> log_spread_scale;
  real<lower=0> degrees_shape;
  real<lower=0> degrees_centre;
  real<lower=0> level_scale;
  real<lower=0> step_centre;
  real<lower=0> log_step_scale;
  real<lower=0> band_centre;
  real<lower=0> log_band_scale;
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
  real<lower=0> interaction_sd;
  matrix[n_systems, n_items] interaction;
  real<lower=0> taste_sd;
  matrix[n_systems, n_annotators] taste;
  real<lower=0> severity_sd;
  sum_to_zero_vector[n_annotators] severity;
  real<lower=0> modulus_sd;
  sum_to_zero_vector[n_annotators] modulus;
  real<lower=0> log_spread_sd;
  sum_to_zero_vector[n_annotators] log_spread;
  real<lower=0> tie_band_sd;
  sum_to_zero_vector[n_annotators] tie_band;
  real<lower=0> log_scale_sd;
  sum_to_zero_vector[n_annotators] log_scale;
  real modulus_mean;
  real log_spread_mean;
  real<lower=0> degrees_of_freedom;
  real level;
  real log_step;
  real log_tie_band_mean;
}

transformed parameters {
  // log density of one judgement of the row, by the log ratio where it is off the reference
  vector[n_rows] log_lik;
  for (n in 1:n_rows) {
    int s = system[n];
    int a = annotator[n];
    int i = item[n];
    real w = quality[s] - difficulty[i] + interaction[s, i] + taste[s, a];
    real u = level - severity[a] + w;
    real band = exp(log_tie_band_mean + tie_band[a]);
    real location = modulus_mean + modulus[a] + exp(log_step + log_scale[a]) * w;
    real spread = hypot(exp(log_spread_mean + log_spread[a]), resolution);
    real df = degrees_of_freedom;
    if (magnitude[n] == reference[n]) {
      log_lik[n] = log_within_band(u, band);
    } else if (magnitude[n] > reference[n]) {
      log_lik[n] = std_normal_lcdf(u - band | )
                   + student_t_lpdf(log(magnitude[n] / reference[n]) | df, location, spread)
                   - student_t_lcdf(0 | df, -location, spread);
    } else if (magnitude[n] > 0) {
      log_lik[n] = std_normal_lcdf(-band - u | )
                   + student_t_lpdf(log(magnitude[n] / reference[n]) | df, location, spread)
                   - student_t_lcdf(0 | df, location, spread);
    } else {
      log_lik[n] = std_normal_lcdf(-band - u | )
                   + student_t_lcdf(fmin(log(smallest / reference[n]), 0) | df, location, spread)
                   - student_t_lcdf(0 | df, location, spread);
    }
  }
}

model {
  target += half_normal_lpdf(quality_sd | quality_sd_scale);
  target += zero_sum_normal_lpdf(quality | quality_sd);
  target += half_normal_lpdf(difficulty_sd | difficulty_sd_scale);
  target += half_normal_lpdf(interaction_sd | interaction_sd_scale);
  for (i in 1:n_items) {
    target += normal_lpdf(difficulty[i] | 0, difficulty_sd);
    for (s in 1:n_systems) {
      target += normal_lpdf(interaction[s, i] | 0, interaction_sd);
    }
  }
  target += half_normal_lpdf(taste_sd | taste_sd_scale);
  for (a in 1:n_annotators) {
    for (s in 1:n_systems) {
      target += normal_lpdf(taste[s, a] | 0, taste_sd);
    }
  }
  target += half_normal_lpdf(severity_sd | severity_sd_scale);
  target += zero_sum_normal_lpdf(severity | severity_sd);
  target += half_normal_lpdf(modulus_sd | modulus_sd_scale);
  target += zero_sum_normal_lpdf(modulus | modulus_sd);
  target += half_normal_lpdf(log_spread_sd | log_spread_sd_scale);
  target += zero_sum_normal_lpdf(log_spread | log_spread_sd);
  target += half_normal_lpdf(tie_band_sd | tie_band_sd_scale);
  target += zero_sum_normal_lpdf(tie_band | tie_band_sd);
  target += half_normal_lpdf(log_scale_sd | log_scale_sd_scale);
  target += zero_sum_normal_lpdf(log_scale | log_scale_sd);
  target += normal_lpdf(modulus_mean | 0, modulus_scale);
  target += normal_lpdf(log_spread_mean | log(spread_centre), log_spread_scale);
  target += gamma_lpdf(degrees_of_freedom | degrees_shape, degrees_shape / degrees_centre);
  target += normal_lpdf(level | 0, level_scale);
  target += normal_lpdf(log_step | log(step_centre), log_step_scale);
  target += normal_lpdf(log_tie_band_mean | log(band_centre), log_band_scale);

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
