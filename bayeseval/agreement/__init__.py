"""Agreement between annotators, and within one; correlations between criteria."""

from bayeseval.agreement.alpha import krippendorff_alpha
from bayeseval.agreement.concordance import kendalls_w
from bayeseval.agreement.correlation import criteria_correlation
from bayeseval.agreement.exact import exact_agreement, vote_agreement
from bayeseval.agreement.intraclass import icc
from bayeseval.agreement.kappa import cohen_kappa, fleiss_kappa

__all__ = [
    "cohen_kappa",
    "criteria_correlation",
    "exact_agreement",
    "fleiss_kappa",
    "icc",
    "kendalls_w",
    "krippendorff_alpha",
    "vote_agreement",
]
