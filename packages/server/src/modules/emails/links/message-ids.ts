import { isId } from '../../../kernel/ids.ts'
import { messageIdOf } from '../../mail/index.ts'
import type { NamedLetter, ReplyAddresses } from './reply-addresses.ts'

/**
 * Returns the Message-ID of a letter. One to several recipients has a token in it, which none of them sees: each copy
 * has a Message-ID of its own.
 */
export const messageIdOfLetter = (
  tokens: ReplyAddresses,
  { id, from, isToSeveral }: { readonly id: string; readonly from: string; readonly isToSeveral: boolean },
): string => messageIdOf(isToSeveral ? `${id}.${tokens.tokenOf(id)}` : id, from)

/** Returns the Message-ID of the copy of a letter for one of its recipients. */
export const messageIdOfCopy = (
  tokens: ReplyAddresses,
  { id, message_id }: { readonly id: string; readonly message_id: string },
  recipient: string,
): string => `<${id}.${tokens.tokenOf(id, recipient)}${message_id.slice(message_id.lastIndexOf('@'))}`

/** Reads the Message-ID of a letter or of a copy. */
export function readMessageId(tokens: ReplyAddresses, reference: string): NamedLetter | undefined {
  const [, emailId = '', token] = /^<([\da-f-]{36})(?:\.([a-z2-7]{52}))?@/.exec(reference.toLowerCase()) ?? []
  if (token === undefined) return isId(emailId) ? { emailId, copyAmong: () => ({ recipient: undefined }) } : undefined
  const letter = tokens.readToken(token)
  return letter?.emailId === emailId ? letter : undefined
}
