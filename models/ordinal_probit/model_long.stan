// Ordinal probit for a long scale (more than 12 categories, for instance a slider in
// steps), thresholds "free": the gaps are smooth in the population and in the annotator.
//
//   P(rating <= k) = Phi(c[a, k] - z),   z = quality[s]
//
// a annotator, s system, k category. There are n_categories - 2 gaps.

functions {
  // log(Phi(high) - Phi(low)). In the upper half the two upper tails are subtracted:
  // there both CDFs are close to one, and their difference would lose its digits.
  real log_probability_between(real low, real high) {
    if (low > 0) {
      return log_diff_exp(std_normal_lcdf(-low | ), std_normal_lcdf(-high | ));
    }
    return log_diff_exp(std_normal_lcdf(high | ), std_normal_lcdf(low | ));
  }

  // log probability of category k: a normal variable with the given location and
  // precision d (1 / sd) falls between thresholds k - 1 and k.
  real log_category_probability(int k, vector thresholds, real location, real d) {
    int n_categories = size(thresholds) + 1;
    if (k == 1) {
      return std_normal_lcdf(d * (thresholds[1] - location) | );
    }
    if (k == n_categories) {
      return std_normal_lcdf(-d * (thresholds[n_categories - 1] - location) | );
    }
    return log_probability_between(d * (thresholds[k - 1] - location),
                                   d * (thresholds[k] - location));
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
  int<lower=9> n_categories;
  array[n_rows] int<lower=1, upper=n_systems> system;
  array[n_rows] int<lower=1, upper=n_annotators> annotator;
  array[n_rows] int<lower=1, upper=n_categories> rating;
  array[n_rows] int<lower=1> count; // how many judgements the row stands for

  real<lower=0> quality_sd_scale;
  real<lower=0> mean_threshold_scale;
  real<lower=0> width_centre;
  real<lower=0> log_width_scale;
  real<lower=0> smoothness_sd_scale;
  real<lower=0> severity_sd_scale;
  real<lower=0> gap_sd_scale;
}

transformed data {
  int n_gaps = n_categories - 2;
  int n_waves = 6;

  // Wave 0 is a constant, wave j a cosine with j half periods over the gaps. The weights
  // make the average variance over the gaps equal to gap_sd squared.
  array[n_waves] real share; // share of gap_sd that a wave's amplitude has
  matrix[n_waves, n_gaps] wave;
  {
    real total = 1;
    for (j in 1:(n_waves - 1)) {
      total += inv_square(j);
    }
    share[1] = 1 / sqrt(total);
    for (k in 1:n_gaps) {
      wave[1, k] = 1;
    }
    for (j in 1:(n_waves - 1)) {
      share[j + 1] = (1.0 / j) / sqrt(total);
      for (k in 1:n_gaps) {
        wave[j + 1, k] = sqrt2() * cos(pi() * j * (k - 0.5) / n_gaps);
      }
    }
  }
}

parameters {
  real<lower=0> quality_sd;
  sum_to_zero_vector[n_systems] quality;

  real mean_threshold;
  real log_width;
  real<lower=0> smoothness_sd; // of the log ratio of the last gap to the first
  vector[n_gaps - 1] gap_increment; // of the log gaps, from one gap to the next
  real<lower=0> severity_sd;
  vector[n_annotators] severity;
  real<lower=0> gap_sd;
  matrix[n_annotators, n_waves] gap_wave; // the annotator's amplitude of every wave
}

transformed parameters {
  vector[n_gaps] log_gap;
  log_gap[1] = 0;
  for (k in 1:(n_gaps - 1)) {
    log_gap[k + 1] = log_gap[k] + gap_increment[k];
  }
  // the width is the distance from the first threshold to the last
  log_gap = log_gap - log_sum_exp(log_gap) + log_width;

  array[n_annotators] vector[n_categories - 1] thresholds;
  for (a in 1:n_annotators) {
    vector[n_categories - 1] position;
    position[1] = 0;
    for (k in 1:n_gaps) {
      real deviation = 0;
      for (j in 1:n_waves) {
        deviation += gap_wave[a, j] * wave[j, k];
      }
      position[k + 1] = position[k] + exp(log_gap[k] + deviation);
    }
    thresholds[a] = position - mean(position) + mean_threshold + severity[a];
  }

  // log probability of one judgement of the row
  vector[n_rows] log_lik;
  for (n in 1:n_rows) {
    log_lik[n] = log_category_probability(rating[n], thresholds[annotator[n]],
                                          quality[system[n]], 1);
  }
}

model {
  target += half_normal_lpdf(quality_sd | quality_sd_scale);
  target += zero_sum_normal_lpdf(quality | quality_sd);

  target += normal_lpdf(mean_threshold | 0, mean_threshold_scale);
  target += normal_lpdf(log_width | log(width_centre), log_width_scale);
  target += half_normal_lpdf(smoothness_sd | smoothness_sd_scale);
  for (k in 1:(n_gaps - 1)) {
    target += normal_lpdf(gap_increment[k] | 0, smoothness_sd / sqrt(n_gaps - 1));
  }

  target += half_normal_lpdf(severity_sd | severity_sd_scale);
  target += half_normal_lpdf(gap_sd | gap_sd_scale);
  for (a in 1:n_annotators) {
    target += normal_lpdf(severity[a] | 0, severity_sd);
    for (j in 1:n_waves) {
      target += normal_lpdf(gap_wave[a, j] | 0, share[j] * gap_sd);
    }
  }

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
