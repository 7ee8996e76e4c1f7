import { html, raw } from 'hono/html'
import { highlight } from './highlight.ts'
import type { Html } from './page.ts'

/** A block of code under a title. */
export const codeBlock = (title: string, syntax: string, code: string): Html =>
  html`<figure class="code"><figcaption>${title}</figcaption>
<pre><code class="hljs language-${syntax}">${raw(highlight(code, syntax))}</code></pre></figure>`
