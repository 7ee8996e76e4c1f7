/** A page or a redirect, as a person without a browser sees it. */
export type Seen = {
  readonly status: number
  readonly url: string
  readonly headers: Headers
  readonly text: string
  readonly location: string | null
}

type Cookie = { readonly name: string; readonly value: string; readonly path: string }

/**
 * A browser reduced to its cookies: it follows redirects and pages that send it on, and stops before it would leave the
 * origin.
 */
export function journeyOf(origin: string) {
  let cookies: Cookie[] = []
  const keep = (header: string): void => {
    const [pair = '', ...attributes] = header.split(';').map((part) => part.trim())
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    const path = attributes.find((one) => /^path=/i.test(one))?.slice('path='.length) ?? '/'
    cookies = cookies.filter((one) => one.name !== name || one.path !== path)
    if (!attributes.some((one) => /^(expires=Thu, 01 Jan 1970|max-age=0)/i.test(one)))
      cookies.push({ name, value, path })
  }
  const send = async (
    url: string,
    init: Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> } = {},
  ): Promise<Seen> => {
    const { pathname } = new URL(url)
    const cookie = cookies
      .filter(({ path }) => pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      ...init,
      headers: { Accept: 'text/html', ...init.headers, ...(cookie !== '' && { Cookie: cookie }) },
    })
    for (const header of response.headers.getSetCookie()) keep(header)
    const text = await response.text()
    const onward =
      response.headers.get('location') ??
      /http-equiv="refresh" content="0; url=([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ??
      null
    return {
      status: response.status,
      url,
      headers: response.headers,
      text,
      location: onward === null ? null : new URL(onward, url).href,
    }
  }
  const follow = async (seen: Seen): Promise<Seen> => {
    let at = seen
    for (let step = 0; at.location !== null && at.location.startsWith(`${origin}/`); step++) {
      if (step > 20) throw new Error(`Sent around in circles, at last to ${at.location}`)
      at = await send(at.location)
    }
    return at
  }
  const post = (url: string, form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
    send(url, { method: 'POST', body: new URLSearchParams(form), headers })
  return {
    send,
    post,
    /** A page, after all redirects within the origin. */
    open: async (url: string) => follow(await send(url)),
    /** Sends the form of a page with its hidden fields, and goes on from there. */
    submit: async (page: Seen, fields: Readonly<Record<string, string>>) =>
      follow(await post(formOf(page).action, { ...formOf(page).hidden, ...fields })),
    setCookie: (name: string, value: string) => keep(`${name}=${value}; Path=/`),
    cookies: () => [...cookies],
    forget: () => void (cookies = []),
  }
}

export type Journey = ReturnType<typeof journeyOf>

const plain = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

/** The first form of a page: where it goes, and what it carries without anything being filled in. */
export function formOf({ text, url }: Seen): {
  readonly action: string
  readonly hidden: Readonly<Record<string, string>>
} {
  const action = /<form method="post" action="([^"]*)"/.exec(text)?.[1]
  if (action === undefined) throw new Error(`No form at ${url}:\n${text.slice(0, 2000)}`)
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
    ([, name = '', value = '']) => [plain(name), plain(value)],
  )
  const checked = [...text.matchAll(/<input type="radio" name="([^"]*)" value="([^"]*)" checked>/g)].map(
    ([, name = '', value = '']) => [plain(name), plain(value)],
  )
  return { action: new URL(plain(action), url).href, hidden: Object.fromEntries([...hidden, ...checked]) }
}
