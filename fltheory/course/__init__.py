"""A course in eight lessons: each lesson is one source, read as a page that opens from disk and as a marimo notebook."""

from fltheory.course.check import CheckedAnswer as CheckedAnswer
from fltheory.course.check import check_answer as check_answer
from fltheory.course.parts import Lesson as Lesson
from fltheory.course.shelf import LESSONS as LESSONS
from fltheory.course.shelf import lesson as lesson
