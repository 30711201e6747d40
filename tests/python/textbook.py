"""Corpora and results of textbooks, which the plain algorithms, the engine's and their traces are compared on."""

CATS = {"cat": 5, "cats": 2, "eat": 10, "eating": 3, "running": 2, "jumping": 1, "food": 6}
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
COURSE = [
    "This is the Hugging Face Course.",
    "This chapter is about tokenization.",
    "This section shows several tokenizer algorithms.",
    "Hopefully, you will be able to understand how they are trained and generate tokens.",
]
# What WordPiece learns from the course by likelihood, where it has room for seventy entries, and what texts become by that.
LEARNED = (
    "ab ##fu Fa Fac ##ct ##ful ##full ##fully Th ch ##hm cha chap chapt ##thm Hu Hug Hugg sh th is "
    "##thms ##za ##zat ##ut"
)
LONGEST_MATCH = [
    ("Hugging", "Hugg ##i ##n ##g"),
    ("HOgging", "[UNK]"),
    (
        "This is the Hugging Face course!",
        "Th ##i ##s is th ##e Hugg ##i ##n ##g Fac ##e c ##o ##u ##r ##s ##e [UNK]",
    ),
]
