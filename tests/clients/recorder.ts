type Sent = {
  method: string
  path: string
  query: [string, string][]
  authorization: string | null
  idempotencyKey: string | null
  body: unknown
}

/** A `fetch` that answers everything with `answer` and keeps what was sent. */
export function recorder(answer: unknown, status = 200) {
  const sent: Sent[] = []
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const text = await request.text()
    sent.push({
      method: request.method,
      path: url.pathname,
      query: [...url.searchParams],
      authorization: request.headers.get('authorization'),
      idempotencyKey: request.headers.get('idempotency-key'),
      body: text === '' ? undefined : JSON.parse(text),
    })
    return Response.json(answer, { status })
  }
  return { fetch, sent }
}
