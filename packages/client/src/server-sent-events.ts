/** A block of server-sent events; one without data only says how far the stream has come. */
export type ServerSentEvent = { readonly id: string | undefined; readonly data: string | undefined }

/** Reads server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) as the API sends them. */
export async function* serverSentEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  // Not `for await`: Safari cannot iterate over streams.
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const blocks = (rest + read.value).split(/\r?\n\r?\n/)
      // The last one is not over: where the stream breaks off, it did not happen.
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield parsed(block)
    }
  } finally {
    await reader.cancel()
  }
}

function parsed(block: string): ServerSentEvent {
  let id: string | undefined
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'id') id = value
    if (name === 'data') data.push(value)
  }
  return { id, data: data.length === 0 ? undefined : data.join('\n') }
}
