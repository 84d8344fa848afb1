/** Characters that a terminal carries out instead of showing them, and those that reorder the text around them. */
const unsafe = /(?!\r\n)[^\P{Cc}\n\t]|[\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Escapes control characters as `\u001b`, as JSON does. Names and messages come from pods and servers that may be
 * hostile, and must not move the cursor or change the terminal's settings. Line breaks and tabs stay.
 */
export const visible = (text: string): string => text.replace(unsafe, escaped);

/** The same for text that must stay on one line. */
export const visibleInLine = (text: string): string => visible(text).replace(/[\n\t]/g, escaped);

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
