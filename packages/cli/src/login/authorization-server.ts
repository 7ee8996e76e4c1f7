import { ConnectionFailed } from '@kontor/client'
import { CommandFailed } from '../errors.ts'

/** The response of the authorization server, an error of OAuth included. */
export type Answer = Readonly<Record<string, unknown>>

/** Reads a document of the server, or posts a form to it; throws for what is no answer of OAuth. */
export async function answerOf(url: string, form?: Readonly<Record<string, string>>): Promise<Answer> {
  const sent = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
  const response = await fetch(url, sent).catch((error: unknown) => {
    throw new ConnectionFailed(url, error)
  })
  const text = await response.text()
  // A revocation is answered with nothing (RFC 7009 §2.2).
  const body: unknown = text === '' && response.ok ? {} : parsed(text)
  if (typeof body !== 'object' || body === null)
    throw new CommandFailed(`${url} returned ${response.status}, and not in the format of Kontor.`)
  return body as Answer
}

/** The text of the server for its error. */
export const detailOf = ({ error_description: description }: Answer): string =>
  typeof description === 'string' ? description : 'The server lets no command line in without a browser.'

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
