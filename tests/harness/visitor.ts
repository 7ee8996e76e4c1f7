import type { Answer, HttpClient } from './http.ts'

type Target = { readonly http: HttpClient; readonly origin: string }

/** Returns the text of an attribute of a page. */
export const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The hidden fields of the form of a page that is sent to a path. */
export function hiddenFields(page: string, action: string): Record<string, string> {
  const form = [...page.matchAll(/<form [^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].find(
    ([, to]) => to === action,
  )?.[2]
  if (form === undefined) throw new Error(`the page has no form for ${action}: ${page.slice(page.indexOf('<main'))}`)
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name, value]) => [
      name as string,
      unescaped(value as string),
    ]),
  )
}

/**
 * A person at a browser without scripts: keeps cookies, follows nothing by itself, sends the forms of the page that it
 * is on.
 */
export function visitorOf({ http, origin }: Target, headers: Readonly<Record<string, string>> = {}) {
  const cookies = new Map<string, string>()
  let page = ''
  const send = async (method: string, path: string, fields?: Readonly<Record<string, string>>): Promise<Answer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await http.send({
      method,
      url: path.startsWith('http') ? path : origin + path,
      headers: {
        ...(cookie !== '' && { Cookie: cookie }),
        ...(fields !== undefined && { 'Content-Type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      body: fields && new URLSearchParams(fields).toString(),
    })
    for (const [, name, value] of (answer.headers['set-cookie'] ?? '').matchAll(
      /(?:^|, )((?:__Host-)?kontor_\w+)=([^;]*)/g,
    )) {
      if (value === '') cookies.delete(name as string)
      else cookies.set(name as string, value as string)
    }
    if (typeof answer.body === 'string') page = answer.body
    return answer
  }
  const go = (path: string) => send('GET', path)
  /** Fills in the form of the current page that goes to a path, and sends it. */
  const submit = (action: string, fields: Readonly<Record<string, string>> = {}) =>
    send('POST', action, { ...hiddenFields(page, action), ...fields })
  return {
    cookies,
    go,
    submit,
    /** Sends fields as they are, whatever the page has. */
    post: (action: string, fields: Readonly<Record<string, string>>) => send('POST', action, fields),
    async signIn(email: string, password: string): Promise<Answer> {
      await go('/auth/sign-in')
      return submit('/auth/sign-in', { email, password })
    },
  }
}
