"""Small exports of platforms, as their files have them."""

from pathlib import Path

import pandas as pd

from bayeseval.judgements import (
    Judgements,
)

MTURK = """\
"HITId","AssignmentId","WorkerId","AssignmentStatus","AcceptTime","SubmitTime","WorkTimeInSeconds",\
"Input.sys0","Input.id0","Input.sys1","Input.id1","Answer.0","Answer.1"
"H1","X1","W1","Approved","Thu Nov 08 14:00:00 PST 2018","Thu Nov 08 14:02:00 PST 2018","120",\
"A","007","B","007","4 - good","2 - poor"
"H1","X2","W2","Rejected","Thu Nov 08 14:00:00 PST 2018","Thu Nov 08 14:00:10 PST 2018","10",\
"A","007","B","007","4 - good",""
"""
GOOD = {"4 - good": 4, "2 - poor": 2}
BLOCKS = {"system": "Input.sys{k}", "item": "Input.id{k}", "rating": "Answer.{k}"}


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def rows(table: Judgements, *columns: str) -> list[list[object]]:
    return table.to_frame()[list(columns)].to_numpy().tolist()


QUALTRICS = """\
StartDate,Finished,DistributionChannel,ResponseId,S1_Q1,S1_Q2,S1_Q2,Age\r
Start Date,Finished,Distribution Channel,Response ID,"Rate
this","Rate, that","Rate the other",How old?\r
"{""ImportId"":""startDate""}","{""ImportId"":""finished""}","{""ImportId"":""dc""}",\
"{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}",\
"{""ImportId"":""QID3""}","{""ImportId"":""QID4""}"\r
2024-01-01,True,anonymous,R_1,5 = High,1 = Low,3,30\r
2024-01-01,True,anonymous,R_2,4,,2,41\r
2024-01-01,False,anonymous,R_3,4,4,4,\r
2024-01-01,True,preview,R_4,4,4,4,\r
"""
SURVEY = {
    "format": "qualtrics",
    "protocol": "likert",
    "pattern": r"S(?P<system>\d)_Q(?P<item>\d)",
    "scale": (1, 5),
}
LABEL_STUDIO = [
    {
        "id": 11,
        "data": {"text": "…", "model": {"name": "A"}, "left": "A", "right": "B"},
        "annotations": [
            {
                "id": 1,
                "completed_by": {"id": 5, "email": "x@example.org"},
                "was_cancelled": False,
                "lead_time": 4.2,
                "created_at": "2021-03-09T22:16:08.728353Z",
                "result": [
                    {"from_name": "fluency", "type": "rating", "value": {"rating": 4}},
                    {"from_name": "ok", "type": "choices", "value": {"choices": ["yes"]}},
                    {"from_name": "pw", "type": "pairwise", "value": {"selected": "left"}},
                ],
            },
            {"id": 2, "completed_by": 7, "was_cancelled": True, "result": []},
        ],
    },
    {
        "id": 12,
        "data": {"text": "…", "model": {"name": "B"}, "left": "B", "right": "C"},
        "annotations": [
            {
                "id": 3,
                "completed_by": 7,
                "was_cancelled": False,
                "result": [
                    {"from_name": "fluency", "type": "rating", "value": {"rating": 2}},
                    {"from_name": "pw", "type": "pairwise", "value": {"selected": "right"}},
                ],
            }
        ],
    },
]
ARGILLA_2 = [
    {
        "id": "r1",
        "fields": {"text": "…"},
        "metadata": {"model": "A"},
        "suggestions": {},
        "responses": {
            "quality": [
                {"value": 3, "user_id": "u1"},
                {"value": 1, "user_id": "u2", "status": "discarded"},
            ]
        },
    },
    {
        "id": "r2",
        "fields": {"text": "…"},
        "metadata": {"model": "B"},
        "responses": {"quality": [{"value": 5, "user_id": "u1"}]},
    },
]
ARGILLA_HUB = [
    {
        "id": "r1",
        "metadata": {"model": "A"},
        "quality.responses": [3, 1],
        "quality.responses.users": ["u1", "u2"],
        "quality.responses.status": ["submitted", "discarded"],
        "quality.suggestion": None,
    },
    {
        "id": "r2",
        "metadata": {"model": "B"},
        "quality.responses": [5],
        "quality.responses.users": ["u1"],
        "quality.responses.status": ["submitted"],
        "quality.suggestion": None,
    },
]
ARGILLA_1 = [
    {
        "id": "r1",
        "metadata": {"model": "A"},
        "quality": [
            {"user_id": "u1", "value": 3, "status": "submitted"},
            {"user_id": "u2", "value": 1, "status": "discarded"},
        ],
    },
    {
        "id": "r2",
        "metadata": {"model": "B"},
        "quality": {"user_id": ["u1"], "value": [5], "status": ["submitted"]},
    },
]
BATTLES = [
    {"model_a": "A", "model_b": "B", "winner": "model_a", "judge": "v1", "turn": 1, "anony": True},
    {"model_a": "A", "model_b": "C", "winner": "tie (bothbad)", "judge": "v1", "turn": 2},
    {"model_a": "C", "model_b": "B", "winner": "tie", "judge": "v2", "turn": 1, "anony": False},
]
MQM = """\
system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity
A\td\t1\t1\tr1\ts\t"t\tAccuracy/Mistranslation\tMajor
A\td\t1\t1\tr1\ts\tt\tFluency/Punctuation\tMinor
B\td\t1\t1\tr1\ts\tt\tNo-error\tno-error
C\td\t1\t1\tr1\ts\tt\tNon-translation!\tMajor
C\td\t1\t1\tr1\ts\tt\tAccuracy/Omission\tmajor
D\td\t1\t1\tr1\ts\tt\tno-error\tno-error
"""


def log(model: str, scores: list[object]) -> dict[str, object]:
    samples = [
        {"id": k, "epoch": 1, "scores": {"match": {"value": value, "answer": "…"}}}
        for k, value in enumerate(scores, start=1)
    ]
    return {"version": 2, "status": "success", "eval": {"task": "gsm", "model": model},
            "samples": samples}  # fmt: skip


PEOPLE = pd.DataFrame(
    {"Participant id": ["w1", "w2"], "Age": ["30", "CONSENT_REVOKED"], "Language": ["en", "de"]}
)
