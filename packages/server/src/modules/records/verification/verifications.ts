import type { Verification } from '../../../kernel/verification.ts'
import { linkCountVerification, recordCountVerification } from './counters.ts'
import { linkVerification, referenceVerification } from './links.ts'
import { sideRowVerification } from './side-rows.ts'

/** The verifications of what is derived from records. */
export const recordVerifications: readonly Verification[] = [
  sideRowVerification,
  linkVerification,
  referenceVerification,
  recordCountVerification,
  linkCountVerification,
]
