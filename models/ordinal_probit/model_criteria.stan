// Ordinal probit for several criteria q, with correlations between the criteria
// (criteria = "correlated") for systems, items and annotators; thresholds "shifted".
//
//   P(rating <= k) = Phi(c[q, k] + severity[a, q] - z),   z = quality[s, q] - difficulty[i, q]
//
// a annotator, s system, i item, q criterion, k category. With every correlation at zero
// this is one model_shifted.stan for each criterion (criteria = "separate").

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

  // Population thresholds whose category probabilities are Dirichlet(category_prior):
  // the Dirichlet density at the probabilities, times the Jacobian of the map from
  // thresholds to cumulative probabilities, which is phi at each threshold.
  real induced_dirichlet_lpdf(vector thresholds, vector category_prior) {
    int n_categories = size(category_prior);
    real density = lgamma(sum(category_prior));
    for (k in 1:n_categories) {
      density += -lgamma(category_prior[k])
                 + (category_prior[k] - 1) * log_category_probability(k, thresholds, 0, 1);
    }
    for (k in 1:(n_categories - 1)) {
      density += std_normal_lpdf(thresholds[k] | );
    }
    return density;
  }

  // As many multivariate normal vectors as systems, conditioned to sum to zero over the
  // systems: one normalising factor fewer than there are systems.
  real zero_sum_multi_normal_lpdf(array[] vector x, matrix covariance) {
    vector[rows(covariance)] zero = rep_vector(0, rows(covariance));
    real density = -multi_normal_lpdf(zero | zero, covariance);
    for (s in 1:size(x)) {
      density += multi_normal_lpdf(x[s] | zero, covariance);
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
  int<lower=1> n_criteria;
  int<lower=2> n_categories;
  array[n_rows] int<lower=1, upper=n_systems> system;
  array[n_rows] int<lower=1, upper=n_annotators> annotator;
  array[n_rows] int<lower=1, upper=n_items> item;
  array[n_rows] int<lower=1, upper=n_criteria> criterion;
  array[n_rows] int<lower=1, upper=n_categories> rating;
  array[n_rows] int<lower=1> count; // how many judgements the row stands for

  vector<lower=0>[n_categories] category_prior;
  real<lower=0> quality_sd_scale;
  real<lower=0> difficulty_sd_scale;
  real<lower=0> severity_sd_scale;
  real<lower=0> correlation_shape; // eta of the LKJ density det(R)^(eta - 1)
}

parameters {
  vector<lower=0>[n_criteria] quality_sd;
  corr_matrix[n_criteria] quality_correlation;
  array[n_criteria] sum_to_zero_vector[n_systems] quality;
  vector<lower=0>[n_criteria] difficulty_sd;
  corr_matrix[n_criteria] difficulty_correlation;
  array[n_items] vector[n_criteria] difficulty;
  array[n_criteria] ordered[n_categories - 1] population_thresholds;
  vector<lower=0>[n_criteria] severity_sd;
  corr_matrix[n_criteria] severity_correlation;
  array[n_annotators] vector[n_criteria] severity;
}

transformed parameters {
  array[n_systems] vector[n_criteria] quality_of_system;
  for (s in 1:n_systems) {
    for (q in 1:n_criteria) {
      quality_of_system[s][q] = quality[q][s];
    }
  }

  // log probability of one judgement of the row
  vector[n_rows] log_lik;
  for (n in 1:n_rows) {
    int q = criterion[n];
    real z = quality[q][system[n]] - difficulty[item[n]][q];
    log_lik[n] = log_category_probability(
        rating[n], population_thresholds[q] + severity[annotator[n]][q], z, 1);
  }
}

model {
  vector[n_criteria] zero = rep_vector(0, n_criteria);

  for (q in 1:n_criteria) {
    target += half_normal_lpdf(quality_sd[q] | quality_sd_scale);
    target += half_normal_lpdf(difficulty_sd[q] | difficulty_sd_scale);
    target += half_normal_lpdf(severity_sd[q] | severity_sd_scale);
    target += induced_dirichlet_lpdf(population_thresholds[q] | category_prior);
  }
  target += lkj_corr_lpdf(quality_correlation | correlation_shape);
  target += lkj_corr_lpdf(difficulty_correlation | correlation_shape);
  target += lkj_corr_lpdf(severity_correlation | correlation_shape);

  target += zero_sum_multi_normal_lpdf(
      quality_of_system | quad_form_diag(quality_correlation, quality_sd));
  for (i in 1:n_items) {
    target += multi_normal_lpdf(
        difficulty[i] | zero, quad_form_diag(difficulty_correlation, difficulty_sd));
  }
  for (a in 1:n_annotators) {
    target += multi_normal_lpdf(
        severity[a] | zero, quad_form_diag(severity_correlation, severity_sd));
  }

  for (n in 1:n_rows) {
    target += count[n] * log_lik[n];
  }
}
