// The words of the pages in English: a section for each folder of the sources. Functions are for words around values.

export const texts = {
  shell: {
    language: 'Language',
  },
};

export type Texts = typeof texts;
