// Sends the example of an operation to the server that serves the page. The credentials of a reader are kept in the
// tab; the banner of `npm start` hands over the key of the sample data in the fragment of the address.
const readable = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

;(() => {
  const form = document.querySelector('form.try')
  if (form === null || !location.protocol.startsWith('http')) return
  const { path, credential, body } = form.elements
  const { method, base } = form.dataset
  const shown = form.querySelector('figure')
  const caption = shown.querySelector('figcaption')
  const code = shown.querySelector('code')
  const kept = globalThis.readersCredentials

  if (credential !== undefined) credential.value = kept.get(credential.dataset.scheme)

  const show = (title, text) => {
    caption.textContent = title
    code.textContent = text
    shown.hidden = false
  }
  const headers = () => ({
    ...(credential !== undefined && { Authorization: `${credential.dataset.scheme} ${credential.value.trim()}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  })
  const send = async () => {
    const url = location.origin + new URL(base).pathname.replace(/\/$/, '') + path.value
    const began = performance.now()
    const response = await fetch(url, { method, headers: headers(), body: body?.value, credentials: 'omit' })
    const text = await response.text()
    const took = Math.round(performance.now() - began)
    show(`${response.status} ${response.statusText}, ${took} ms`, text === '' ? 'The body is empty.' : readable(text))
  }
  const button = form.querySelector('button')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (credential !== undefined) kept.set(credential.dataset.scheme, credential.value.trim())
    button.disabled = true
    void send()
      .catch((error) => show('No response', `${error.message}. Is the server still running?`))
      .finally(() => (button.disabled = false))
  })
  form.hidden = false
})()
