"""From a file to records, whatever its format, compression and encoding; what a record means is not known here."""

from iamhumans.subjects.decoding.record import MAX_RECORD_BYTES, Record
from iamhumans.subjects.decoding.records import read_records
