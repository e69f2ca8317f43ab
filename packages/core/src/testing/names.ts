/** Names as people of many languages write them, and texts that do and do not find them. */

/** A name, the texts that find it, and texts that must not. Each name is stored beside all others. */
export interface NameCase {
  readonly name: string
  readonly finds: ReadonlyArray<string>
  readonly misses: ReadonlyArray<string>
}

const named = (name: string, finds: ReadonlyArray<string>, misses: ReadonlyArray<string> = []): NameCase => ({
  name,
  finds,
  misses,
})

export const nameCases: ReadonlyArray<NameCase> = [
  // Latin
  named("Mr. Whiskers", ["whisk", "WHISKERS", "mr whi", "whi mr", "m w", "Mr.Whiskers"], ["hiskers", "mrw", "mr x"]),
  named("Weißpfote", ["WEISSPFOTE", "weiss", "Weiß", "WEIẞ"], ["weib", "pfote"]),
  named("Fıstık", ["fistik", "FISTIK", "fıs", "FISTİK"], ["fstk"]),
  named("İnci", ["inci", "INCI", "ıncı"], ["nci"]),
  named("Łapka", ["lapka", "ŁAP", "łapka"], ["apka"]),
  named("Ægir", ["aegir", "ÆGIR", "ae"], ["agir"]),
  named("Þór", ["thor", "ÞÓR", "þor"], ["por"]),
  named("Guðrún", ["gudrun", "GUÐ"], ["guorun"]),
  named("Đặng Mèo", ["dang", "meo dang", "ĐẶNG"], ["ang"]),
  named("Nguyễn", ["nguyen", "Nguye\u0302\u0303n"], ["nguyẽna"]),
  named("Bjørn", ["bjorn", "BJØRN"], ["bjrn"]),
  named("Œuvre", ["oeuvre", "œu"], ["euvre"]),
  named("Ħobża", ["hobza", "ĦOBŻA"], ["obza"]),
  named("Zoë", ["zoe", "Zoe\u0308", "ZOË"], ["zo e"]),
  named("Señor Ñandú", ["nandu", "senor", "sen nan"], ["andu"]),
  named("Čiko", ["ciko", "ČIKO"], ["iko"]),
  named("O’Neill", ["o'n", "oneill", "O'NEILL", "oʼneill", "o’neill", "o´neill"], ["neill", "o n"]),
  named("Kaʻahumanu", ["kaahumanu", "ka'ahu", "ka‘ahu"], ["ahumanu"]),
  named("Ｒｅｘ２", ["rex2", "REX", "ｒｅｘ"], ["ex2"]),
  named("ﬁdo", ["fido", "FIDO", "ﬁ"], ["ido"]),
  // Greek
  named("Οδυσσεύς", ["ΟΔΥΣΣΕΥΣ", "οδυσσευς", "οδυσσ", "ΟΔΥΣΣΕΎΣ"], ["δυσσ"]),
  named("ΆΡΓΟΣ", ["αργος", "άργος", "Αργοσ"], ["ργος"]),
  named("Ἀθηνᾶ", ["αθηνα", "ΑΘΗΝΑ"], ["θηνα"]),
  // Cyrillic
  named("Ёжик", ["ежик", "ЁЖИК", "Ежи"], ["жик"]),
  named("Мурзік", ["МУРЗІК", "мурзі"], ["мурзик"]),
  named("М'ята", ["мята", "м’ята", "МʼЯТА"], ["ята"]),
  named("Ђорђе", ["ЂОРЂЕ", "ђор"], ["орђе"]),
  // Hebrew and Arabic
  named("שָׁלוֹם", ["שלום", "שלו"], ["לום"]),
  named("ג׳ורג׳", ["ג'ורג'", "גורג"], ["ורג"]),
  named("مُحَمَّد", ["محمد", "مُحَمَّد"], ["حمد"]),
  named("قطة صغيرة", ["قطة", "صغ", "صغيرة قطة"], ["طة"]),
  named("گربه", ["گربه", "گرب"], ["ربه"]),
  // India
  named("मोती", ["मोती", "मो"], ["माता", "मती"]),
  named("माता", ["माता"], ["मोती"]),
  named("শেরু", ["শেরু", "শে"], ["শর"]),
  named("கண்ணன்", ["கண்ணன்", "கண்"], ["கணணன"]),
  named("చిన్ని", ["చిన్ని", "చి"], ["చనన"]),
  named("ਸ਼ੇਰਾ", ["ਸ਼ੇਰਾ", "ਸ\u0a3cੇ"], ["ਸਰ"]),
  // South East Asia
  named("สีดา", ["สีดา", "สี"], ["สุดา"]),
  named("สุดา", ["สุดา"], ["สีดา"]),
  named("ຫມາ", ["ຫມາ", "ຫມ"], ["ມາ"]),
  named("ကြောင်", ["ကြောင်"], ["ကင"]),
  named("ឆ្កែ", ["ឆ្កែ"], ["ឆក"]),
  // East Asia
  named("パパ", ["パパ", "ﾊﾟﾊﾟ", "ハ\u309aハ\u309a"], ["ハハ", "ババ"]),
  named("ハハ", ["ハハ"], ["パパ"]),
  named("さくら 二〇二四", ["さくら", "二〇", "さ 二"], ["くら"]),
  named("葛\u{e0100}城", ["葛城", "葛"], ["城"]),
  named("小黑", ["小黑", "小"], ["黑"]),
  named("한글이", ["한글", "\u1112\u1161\u11ab"], ["글이"]),
  named("ㄇㄚˊ", ["ㄇㄚˊ", "ㄇ"], ["ㄚ"]),
  // Others
  named("თეთრა", ["თეთრა", "ᲗᲔᲗᲠᲐ"], ["ეთრა"]),
  named("Շնիկ", ["շնիկ", "ՇՆԻԿ"], ["նիկ"]),
  named("ውሻ", ["ውሻ"], ["ሻ"]),
  named("ᎩᏟ", ["ᎩᏟ", "ꭹ"], ["Ꮯ"]),
  // Neither letters of one case, nor one word
  named("🐶 Bello-2️⃣ (old)", ["bello", "2", "old bel"], ["ello"]),
  named("x".repeat(70), ["x".repeat(64), "xx"], ["xy", `${"x".repeat(63)}y`]),
  named("a_b%c", ["a", "b c", "c"], ["a_x", "ab"]),
  named("not and OR near", ["NOT", "and or", "NEAR"], ["not x"]),
]
