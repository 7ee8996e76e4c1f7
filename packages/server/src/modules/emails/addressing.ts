import type { AddressChoice } from './suppressions/choose.ts'

/** A letter to the person of a run that does not say at which address. */
type Addressed = {
  readonly workspaceId: string
  readonly runId: string
  readonly personId: string
  /** The addresses that the record has now. */
  readonly addresses: readonly string[]
}

/** Answers at which address a run writes to its person (0175). */
export type Addressing = (letter: Addressed) => Promise<AddressChoice | { readonly refusal: 'duplicate_address' }>
