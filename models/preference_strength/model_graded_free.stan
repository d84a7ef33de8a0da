// Preference strength, grades with free thresholds: see card.md.
//
//   P(grade <= k) = Phi(exp(log_gap[r]) * population_thresholds[k] - e)
//   e = exp(log_scale[r]) * (quality[a] - quality[b] + side_bias)
//
// r annotator, a the system shown as a, b the other. Every grade between the ends has a width of its
// own; the middle threshold, or the mean of the two middle ones, is 0. Parameters are centred,
// densities are normalised, prior scales come in as data.

functions {
  // log(Phi(high) - Phi(low)). In the upper half the two upper tails are subtracted:
  // there both CDFs are close to one, and their difference would lose its digits.
  real log_probability_between(real low, real high) {
    if (low > 0) {
      return log_diff_exp(std_normal_lcdf(-low | ), std_normal_lcdf(-high | ));
    }
    return log_diff_exp(std_normal_lcdf(high | ), std_normal_lcdf(low | ));
  }

  // Log probability of the grade in whose interval e plus standard normal noise falls.
  real log_grade_probability(int grade, vector thresholds, real e) {
    int n_grades = size(thresholds) + 1;
    if (grade == 1) {
      return std_normal_lcdf(thresholds[1] - e | );
    }
    if (grade == n_grades) {
      return std_normal_lcdf(e - thresholds[n_grades - 1] | );
    }
    return log_probability_between(thresholds[grade - 1] - e, thresholds[grade] - e);
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
  int<lower=3> n_grades;
  array[n_rows] int<lower=1, upper=n_systems> system_a;
  array[n_rows] int<lower=1, upper=n_systems> system_b;
  array[n_rows] int<lower=1, upper=n_annotators> annotator;
  array[n_rows] int<lower=1, upper=n_grades> grade; // from below
  array[n_rows] int<lower=1> count; // how many judgements the row stands for

  real<lower=0> quality_sd_scale;
  real<lower=0> log_scale_sd_scale;
  real<lower=0> log_gap_sd_scale;
  real<lower=0> side_bias_scale;
  real<lower=0> width_centre;
  real<lower=0> log_width_scale;
}

parameters {
  real<lower=0> quality_sd;
  sum_to_zero_vector[n_systems] quality;
  real<lower=0> log_scale_sd;
  sum_to_zero_vector[n_annotators] log_scale;
  real<lower=0> log_gap_sd;
  sum_to_zero_vector[n_annotators] log_gap;
  real side_bias;
  vector[n_grades - 2] log_width; // from the lowest grade between the ends
}

transformed parameters {
  vector[n_grades - 1] population_thresholds;
  {
    vector[n_grades - 1] above_lowest;
    above_lowest[1] = 0;
    for (k in 2:(n_grades - 1)) {
      above_lowest[k] = above_lowest[k - 1] + exp(log_width[k - 1]);
    }
    int half = n_grades %/% 2;
    real middle = (above_lowest[half] + above_lowest[n_grades - half]) / 2;
    for (k in 1:(n_grades - 1)) {
      population_thresholds[k] = above_lowest[k] - middle;
    }
  }
  // log probability of one judgement of the row
  vector[n_rows] log_lik;
  for (n in 1:n_rows) {
    int r = annotator[n];
    real difference = quality[system_a[n]] - quality[system_b[n]];
    real e = exp(log_scale[r]) * (difference + side_bias);
    log_lik[n] = log_grade_probability(grade[n], exp(log_gap[r]) * population_thresholds, e);
  }
}

model {
  target += half_normal_lpdf(quality_sd | quality_sd_scale);
  target += zero_sum_normal_lpdf(quality | quality_sd);
  target += half_normal_lpdf(log_scale_sd | log_scale_sd_scale);
  target += zero_sum_normal_lpdf(log_scale | log_scale_sd);
  target += half_normal_lpdf(log_gap_sd | log_gap_sd_scale);
  target += zero_sum_normal_lpdf(log_gap | log_gap_sd);
  target += normal_lpdf(side_bias | 0, side_bias_scale);
  for (j in 1:(n_grades - 2)) {
    target += normal_lpdf(log_width[j] | log(width_centre), log_width_scale);
  }

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
