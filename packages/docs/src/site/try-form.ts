import { isOpen, isStream } from '@kontor/contract'
import { html } from 'hono/html'
import { serverUrl } from './document.ts'
import { json, literal } from './literal.ts'
import type { Operation } from './operations.ts'
import type { Html } from './page.ts'
import { pathOf } from './samples.ts'

/** Returns whether a browser can send and show an operation: no endless stream, and no body but JSON. */
export const canBeTried = ({ endpoint, body, example }: Operation): boolean =>
  !isStream(endpoint) && (endpoint.body === undefined || (body !== undefined && example.body !== undefined))

/** The field of the credential; its value is kept for the tab, by its name. */
function credentialField({ endpoint, takesKey }: Operation): Html | '' {
  if (isOpen(endpoint)) return ''
  const [name, label] = takesKey ? ['api-key', 'API key'] : ['Bearer', 'Access token']
  return html`<label>${label}
<input name="credential" data-scheme="${name}" type="password" autocomplete="off" spellcheck="false" required></label>`
}

/** A form that sends the example, as the reader changes it, to the server that serves the page; else it is hidden. */
export function tryForm(operation: Operation, root: string): Html {
  const { endpoint, example } = operation
  return html`<form class="try" data-method="${endpoint.method}" data-base="${serverUrl}" hidden>
<h2>Try it</h2>
<label>Path
<input name="path" value="${pathOf(operation)}" autocomplete="off" spellcheck="false" required></label>
${credentialField(operation)}
${
  example.body === undefined
    ? ''
    : html`<label>Body
<textarea name="body" rows="8" spellcheck="false">${literal(example.body, json)}</textarea></label>`
}
<button>Send ${endpoint.method}</button>
<figure class="code" aria-live="polite" hidden><figcaption></figcaption><pre><code></code></pre></figure>
</form>
<script src="${root}assets/try.js" defer></script>`
}
