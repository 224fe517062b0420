import type { Failure } from "./failures-reporter.ts";

/** More failed files than this are not the work of a busy machine. */
const maxFiles = 6;

/** Words of an assertion about the ledger. A wrong bill is a failure, however rarely it occurs. */
const aboutMoney = /violation|ledger|bill|lost|doubled|overdr|over-?admitted|unserved|leaked|nano/i;

/** Tests in a file that others import cannot run alone: without them it has none. */
const isTest = (file: string): boolean => file.endsWith(".test.ts");

/** A deadline that passed, whatever the test waited for. */
const missedDeadline = /^(gave up after|test timed out)/;

/**
 * Which files of failed tests run a second time, alone: a test with a deadline can fail because
 * another program uses the processor. The failures of both runs are reported.
 *
 * @returns the files; empty if one failure is about money, has no file, or there are too many
 */
export function filesToRunAgain(failures: readonly Failure[]): string[] {
  const files = new Set<string>();
  for (const { file, message } of failures) {
    if (file === undefined || !isTest(file) || (aboutMoney.test(message) && !missedDeadline.test(message))) return [];
    files.add(file);
  }
  return files.size > maxFiles ? [] : [...files].sort();
}
