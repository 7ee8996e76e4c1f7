import { isBlank } from '@kontor/contract'
import { normaliseEmail } from '../../fields/index.ts'
import type { Suppressed } from './store.ts'

/** A person, as far as it matters at which address they are written to. */
type Addressee = { readonly id: string; readonly addresses: readonly string[] }

/** Where a person is written to, or why nowhere; `at` is the address that says so. */
export type AddressChoice =
  | { readonly address: string }
  | { readonly refusal: 'no_email' | 'invalid_email' }
  | { readonly refusal: 'suppressed'; readonly at: string }

/** Valid addresses among the texts in a field, in their normal form. */
export const validAmong = (addresses: readonly string[]): string[] =>
  addresses.flatMap((address) => normaliseEmail(address) ?? [])

/**
 * The address at which a person is written to: the first that is valid and not suppressed (0175). Who has asked for no
 * more, as this record or as one before that had one of these addresses, is written to at none.
 */
export function chooseAddress({ id, addresses }: Addressee, suppressed: Suppressed): AddressChoice {
  if (addresses.every((address) => isBlank(address))) return { refusal: 'no_email' }
  const valid = validAmong(addresses)
  const [first] = valid
  if (first === undefined) return { refusal: 'invalid_email' }
  const unsubscribed = valid.find((address) => suppressed.unsubscribed.has(address))
  if (unsubscribed !== undefined) return { refusal: 'suppressed', at: unsubscribed }
  const address = valid.find((one) => !suppressed.addresses.has(one))
  return address === undefined || suppressed.people.has(id) ? { refusal: 'suppressed', at: first } : { address }
}
